import type { Knex } from 'knex';
import { setTimeout as sleep } from 'node:timers/promises';

import { keepUntouched } from '../linotp/token-import-store.ts';
import type { Progress, Sealed, SecretPurpose, Vault } from './vault.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';

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

const TOKEN_SECRETS = {
  seed: 'seed',
  shared_secret: 'shared-secret',
  nonce: 'nonce',
  pin: 'pin',
  ocra_pin: 'ocra-pin',
} as const;
const BY_ID = { id: 'id', idType: 'bigint', subject: 'name', isConfiguration: true } as const;

/** Every place that may have a sealed secret: all are sealed anew when the key changes. */
export const SEALED_TABLES: readonly SealedTable[] = [
  { ...BY_ID, table: 'tokens', subject: 'serial', secrets: TOKEN_SECRETS, isConfiguration: false },
  { ...BY_ID, table: 'resolvers', secrets: { secret: 'resolver' } },
  {
    ...BY_ID,
    table: 'configuration',
    id: 'key',
    idType: 'text',
    subject: 'key',
    secrets: { secret: 'setting' },
  },
  {
    ...BY_ID,
    table: 'imported_tokens',
    id: 'token_id',
    subject: 'serial',
    secrets: { so_pin: 'so-pin' },
    isConfiguration: false,
  },
  { ...BY_ID, table: 'webhooks', secrets: { secret: 'webhook', previous_secret: 'webhook' } },
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

export interface Resealing {
  /** Number of secrets sealed anew. */
  readonly resealed: number;
  /** Number of secrets that could be opened but are still sealed with other keys, because they kept changing. */
  readonly left: number;
  /** Owners of the secrets that could not be opened, the first hundred: `tokens T1`. */
  readonly unreadable: readonly string[];
  /** Number of secrets that could not be opened. */
  readonly unreadableCount: number;
}

/**
 * Seals with the vault's current key every secret that is sealed with another one. The secrets' own headers record the
 * progress, so it may be interrupted at any point and repeated. A chunk holds the locks of its rows while it works, and
 * skips rows that others hold: no concurrent write is overwritten, and no request waits for long. A settlement that has
 * read such a token finds another version of its row and reads it again (docs/adr/0003).
 */
export async function resealAll(database: Database, vault: Vault, progress: Progress): Promise<Resealing> {
  const unreadable = new Set<string>();
  const total = await countOthers(database, vault.currentKeyId);
  let resealed = 0;
  let left = total;
  progress(0, total);
  for (let pass = 0; left > 0 && pass < PASSES; pass += 1) {
    await sleep(pass * BREATH_MS);
    unreadable.clear();
    for (const table of SEALED_TABLES) {
      for (let after: string | undefined = table.idType === 'bigint' ? '0' : ''; after !== undefined;) {
        const from: string = after;
        const work = ({ sql }: UnitOfWork): Promise<Chunk> => resealChunk(sql, table, vault, from);
        // Finding the last few may read a whole table.
        const chunk = await database.transact(work, { isLong: true });
        resealed += chunk.resealed;
        chunk.unreadable.forEach((secret) => unreadable.add(secret));
        after = chunk.last;
        progress(Math.min(resealed, total), total);
      }
    }
    left = (await countOthers(database, vault.currentKeyId)) - unreadable.size;
  }
  return {
    resealed,
    left: Math.max(left, 0),
    unreadable: [...unreadable].slice(0, MAX_NAMED),
    unreadableCount: unreadable.size,
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

interface Chunk {
  readonly resealed: number;
  readonly unreadable: readonly string[];
  /** The id of its last row; undefined if there was none left. */
  readonly last: string | undefined;
}

async function resealChunk(
  sql: Knex.Transaction,
  table: SealedTable,
  vault: Vault,
  after: string,
): Promise<Chunk> {
  await sql.raw('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await holdCurrent(sql, vault.currentKeyId);
  if (table.isConfiguration) {
    await sql('configuration_state').forUpdate().select('revision');
  }
  const rows = await holdChunk(sql, table, vault.currentKeyId, after);
  const unreadable: string[] = [];
  const done: string[] = [];
  let resealed = 0;
  for (const row of rows) {
    const fresh = resealRow(row, table, vault, unreadable);
    const count = Object.keys(fresh).length;
    if (count > 0) {
      await sql(table.table).where(table.id, row.id).update(fresh);
      resealed += count;
      done.push(row.id);
    }
  }
  if (table.table === 'tokens') {
    await keepUntouched(sql, done);
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

/** @returns the columns that are sealed anew */
function resealRow(
  row: SecretRow,
  { table, secrets }: SealedTable,
  vault: Vault,
  unreadable: string[],
): Readonly<Record<string, Sealed>> {
  const fresh: Record<string, Sealed> = {};
  for (const [column, purpose] of Object.entries(secrets)) {
    const sealed = row[column] ?? null;
    if (sealed === null || sealed.subarray(1, 9).toString('hex') === vault.currentKeyId) {
      continue;
    }
    try {
      const plain = vault.open(sealed as Sealed, purpose, row.subject);
      fresh[column] = vault.seal(plain, purpose, row.subject);
    } catch (error) {
      if (!isServiceError(error, 'secret.unreadable') && !isServiceError(error, 'key.unavailable')) {
        throw error;
      }
      unreadable.push(`${table} ${row.subject}, ${purpose}`);
    }
  }
  return fresh;
}

/** The id of the key in the header of a sealed secret, as SQL. */
function keyIdInSql(column: string): string {
  return `encode(substr(${column}, 2, 8), 'hex')`;
}
