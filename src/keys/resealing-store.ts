import type { Knex } from 'knex';
import { setTimeout as sleep } from 'node:timers/promises';

import { keepUntouched } from '../linotp/token-import-store.ts';
import type { Progress, Resealing, Sealed, SealingVault, SecretPurpose } from './vault.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Database } from '../database/database.ts';

/** A table with secrets that the vault sealed. */
interface SealedTable {
  readonly table: string;
  /** The column by which its rows are traversed: unique, ordered, never changed. */
  readonly id: string;
  readonly idType: 'bigint' | 'text';
  /** The column of the subject for which its secrets were sealed. */
  readonly subject: string;
  /** The sealed columns, each with its purpose. */
  readonly secrets: Readonly<Record<string, SecretPurpose>>;
  /** Its triggers write the row of the configuration's revision, which must then be locked first. */
  readonly isConfiguration: boolean;
}

/** Every place that may have a sealed secret: all are sealed anew when the key changes. */
export const SEALED_TABLES: readonly SealedTable[] = [
  {
    table: 'tokens',
    id: 'id',
    idType: 'bigint',
    subject: 'serial',
    secrets: {
      seed: 'seed',
      shared_secret: 'shared-secret',
      nonce: 'nonce',
      pin: 'pin',
      ocra_pin: 'ocra-pin',
    },
    isConfiguration: false,
  },
  {
    table: 'resolvers',
    id: 'id',
    idType: 'bigint',
    subject: 'name',
    secrets: { secret: 'resolver' },
    isConfiguration: true,
  },
  {
    table: 'configuration',
    id: 'key',
    idType: 'text',
    subject: 'key',
    secrets: { secret: 'setting' },
    isConfiguration: true,
  },
  {
    table: 'imported_tokens',
    id: 'token_id',
    idType: 'bigint',
    subject: 'serial',
    secrets: { so_pin: 'so-pin' },
    isConfiguration: false,
  },
  {
    table: 'webhooks',
    id: 'id',
    idType: 'bigint',
    subject: 'name',
    secrets: { secret: 'webhook', previous_secret: 'webhook' },
    isConfiguration: true,
  },
];

/** Rows of one transaction: others wait for it some milliseconds at most. */
const CHUNK = 100;
/** The most passes over rows that were locked. */
const PASSES = 20;
/** Milliseconds by which the pause before each pass grows; about twenty seconds in all. */
const BREATH_MS = 100;
/** The most unreadable secrets that are named. */
const MAX_NAMED = 100;

type SecretRow = Readonly<Record<string, Buffer | null>> & { readonly id: string; readonly subject: string };

/** Results so far. */
interface ResealingTally {
  resealed: number;
  readonly unreadable: Set<string>;
}

/**
 * Seals with the vault's current key every secret that is sealed with another one. The secrets' own headers record the
 * progress, so it may be interrupted at any point and repeated. A chunk holds the locks of its rows while it works, and
 * skips rows that others hold: no concurrent write is overwritten, and no request waits for long. A settlement that has
 * read such a token finds another version of its row and reads it again (docs/adr/0003).
 */
export async function resealAll(
  database: Database,
  vault: SealingVault,
  progress: Progress,
): Promise<Resealing> {
  const tally: ResealingTally = { resealed: 0, unreadable: new Set() };
  const total = await countOthers(database, vault.currentKeyId);
  progress(0, total);
  let left = total;
  for (let pass = 0; left > 0 && pass < PASSES; pass += 1) {
    await sleep(pass * BREATH_MS);
    tally.unreadable.clear();
    for (const table of SEALED_TABLES) {
      await resealTable(database, table, vault, tally, () => {
        progress(Math.min(tally.resealed, total), total);
      });
    }
    left = (await countOthers(database, vault.currentKeyId)) - tally.unreadable.size;
  }
  return {
    resealed: tally.resealed,
    left: Math.max(left, 0),
    unreadable: [...tally.unreadable].slice(0, MAX_NAMED),
    unreadableCount: tally.unreadable.size,
  };
}

/** @returns the number of secrets sealed with each key, by its id */
export async function countByKey(connection: Knex): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { table, secrets } of SEALED_TABLES) {
    const values = Object.keys(secrets).map((column) => `(${column})`);
    const { rows } = await connection.raw<{ rows: { key_id: string; secrets: string }[] }>(
      `SELECT ${keyIdInSql('sealed.bytes')} AS key_id, count(*) AS secrets
       FROM ${table}, LATERAL (VALUES ${values.join(', ')}) AS sealed (bytes)
       WHERE sealed.bytes IS NOT NULL GROUP BY 1`,
    );
    rows.forEach(({ key_id: keyId, secrets: count }) => {
      counts.set(keyId, (counts.get(keyId) ?? 0) + Number(count));
    });
  }
  return counts;
}

async function countOthers(database: Database, currentKeyId: string): Promise<number> {
  const counts = await database.transact(({ sql }) => countByKey(sql), { isLong: true });
  return [...counts].reduce((sum, [keyId, count]) => (keyId === currentKeyId ? sum : sum + count), 0);
}

async function resealTable(
  database: Database,
  table: SealedTable,
  vault: SealingVault,
  tally: ResealingTally,
  onSealed: () => void,
): Promise<void> {
  let after: string | undefined = table.idType === 'bigint' ? '0' : '';
  while (after !== undefined) {
    const from: string = after;
    const chunk = await database.transact(({ sql }) => resealChunk(sql, table, vault, from), {
      // Finding the last few may read a whole table.
      isLong: true,
    });
    tally.resealed += chunk.resealed;
    chunk.unreadable.forEach((secret) => tally.unreadable.add(secret));
    after = chunk.last;
    onSealed();
  }
}

/** @returns the id of the last row of the chunk; undefined if there was none left */
async function resealChunk(
  sql: Knex.Transaction,
  table: SealedTable,
  vault: SealingVault,
  after: string,
): Promise<{ resealed: number; unreadable: readonly string[]; last: string | undefined }> {
  await sql.raw('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await holdCurrent(sql, vault.currentKeyId);
  if (table.isConfiguration) {
    await sql('configuration_state').forUpdate().select('revision');
  }
  const rows = await holdChunk(sql, table, vault.currentKeyId, after);
  const unreadable: string[] = [];
  const changes = rows.map((row) => resealRow(row, table, vault, unreadable));
  const resealed = changes.reduce((sum, { count }) => sum + count, 0);
  if (resealed > 0) {
    await writeChunk(
      sql,
      table,
      rows,
      changes.map(({ secrets }) => secrets),
    );
  }
  return { resealed, unreadable, last: rows.at(-1)?.id };
}

/**
 * Checks that the key is still current, and holds it until the chunk is committed. Another rotation may have made
 * another key current meanwhile: the two would reseal the same secrets in turn.
 * @throws ServiceError 'key.refused'
 */
async function holdCurrent(sql: Knex.Transaction, keyId: string): Promise<void> {
  const held: unknown[] = await sql('encryption_keys')
    .where({ key_id: keyId, is_current: true })
    .forShare()
    .select('key_id');
  if (held.length === 0) {
    throw new ServiceError(
      'key.refused',
      `The key ${keyId} is not the current one any more: another rotation goes on with another key`,
    );
  }
}

async function holdChunk(
  sql: Knex.Transaction,
  { table, id, idType, subject, secrets }: SealedTable,
  currentKeyId: string,
  after: string,
): Promise<readonly SecretRow[]> {
  const columns = Object.keys(secrets);
  const others = columns.map((column) => `${keyIdInSql(column)} <> :key`);
  const { rows } = await sql.raw<{ rows: SecretRow[] }>(
    `SELECT ${id}::text AS id, ${subject} AS subject, ${columns.join(', ')} FROM ${table}
     WHERE ${id} > :after::${idType} AND (${others.join(' OR ')})
     ORDER BY ${table}.${id} LIMIT ${CHUNK} FOR NO KEY UPDATE SKIP LOCKED`,
    { key: currentKeyId, after },
  );
  return rows;
}

function resealRow(
  row: SecretRow,
  { table, secrets }: SealedTable,
  vault: SealingVault,
  unreadable: string[],
): { readonly secrets: readonly (Buffer | null)[]; readonly count: number } {
  let count = 0;
  const resealed = Object.entries(secrets).map(([column, purpose]) => {
    const sealed = row[column] ?? null;
    if (sealed === null || sealed.subarray(1, 9).toString('hex') === vault.currentKeyId) {
      return sealed;
    }
    try {
      const fresh = vault.seal(vault.open(sealed as Sealed, purpose, row.subject), purpose, row.subject);
      count += 1;
      return fresh;
    } catch (error) {
      if (!isServiceError(error, 'secret.unreadable') && !isServiceError(error, 'key.unavailable')) {
        throw error;
      }
      unreadable.push(`${table} ${row.subject}, ${purpose}`);
      return sealed;
    }
  });
  return { secrets: resealed, count };
}

/** Writes only rows that still have the secrets that were read: their lock is held, and this verifies it. */
async function writeChunk(
  sql: Knex.Transaction,
  { table, id, idType, secrets }: SealedTable,
  rows: readonly SecretRow[],
  fresh: readonly (readonly (Buffer | null)[])[],
): Promise<void> {
  const columns = Object.keys(secrets);
  const bound = columns.map((column, index) => [
    rows.map((row) => row[column] ?? null),
    fresh.map((row) => row[index] ?? null),
  ]);
  const { rowCount } = await sql.raw<{ rowCount: number }>(
    `UPDATE ${table} AS kept SET ${columns.map((column) => `${column} = fresh.new_${column}`).join(', ')}
     FROM unnest(?::${idType}[], ${columns.map(() => '?::bytea[], ?::bytea[]').join(', ')})
       AS fresh (id, ${columns.map((column) => `old_${column}, new_${column}`).join(', ')})
     WHERE kept.${id} = fresh.id
       AND ${columns.map((column) => `kept.${column} IS NOT DISTINCT FROM fresh.old_${column}`).join(' AND ')}`,
    [rows.map((row) => row.id), ...bound.flat()] as Knex.RawBinding[],
  );
  if (rowCount !== rows.length) {
    throw new Error(`${rows.length - rowCount} rows of ${table} changed while they were locked`);
  }
  if (table === 'tokens') {
    await keepUntouched(
      sql,
      rows.map((row) => row.id),
    );
  }
}

/** The id of the key in the header of a sealed secret, as SQL. */
function keyIdInSql(column: string): string {
  return `encode(substr(${column}, 2, 8), 'hex')`;
}
