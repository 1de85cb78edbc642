import type { Knex } from 'knex';
import { backupInvalid, type OpenBackup, type RowCounts, type RowProgress } from './backup-format.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { KeyDerivation } from '../keys/vault.ts';
import type { Database } from '../database/database.ts';
import { assertMigrationsKnown, rebuildSchema, appliedMigrations } from '../database/migrate.ts';
import { expectTimeOfAudit } from '../housekeeping/pruning-clock-store.ts';
import { BACKED_UP_TABLES, LEFT_OUT_TABLES } from './backup-store.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import type { Act } from '../policy/caller.ts';
import type { Owner } from '../users/user.ts';
import { holdReferences } from '../tokens/token-rows-store.ts';

/** Tables that are empty before the first use of the database. The first start of a server writes to some of them. */
const TABLES_IN_USE = [
  'administrators',
  'realms',
  'resolvers',
  'users',
  'tokens',
  'challenges',
  'configuration',
  'licence',
  'webhooks',
  'audit',
] as const;

/** Tables whose triggers count rows. A load disables them and counts anew. */
const COUNTED_TABLES = ['tokens', 'users'] as const;

/** The input of a load beside the backup. */
interface LoadOptions {
  readonly keys: KeyDerivation;
  /** The number of all rows. */
  readonly of: number;
  readonly progress?: RowProgress | undefined;
  /** Closes every open challenge: some may have been answered after the backup. */
  readonly closesChallenges?: boolean;
}

/**
 * Loads a backup into a database that holds nothing, in one transaction: completely or not at all. Tables that are
 * there are made anew as the backup's migrations leave them, and brought up to date afterwards.
 * @returns the number of rows of each table
 * @throws ServiceError 'backup.invalid', 'database.not-empty'
 */
export async function loadBackup(
  database: Database,
  backup: OpenBackup,
  options: LoadOptions,
): Promise<RowCounts> {
  const { header } = backup;
  assertLoadable(backup);
  let hasBegun = false;
  let loaded: RowCounts = new Map();
  await rebuildSchema(database, header.migrations, {
    before: async (sql, isMigrated) => {
      if (hasBegun) {
        throw new Error('A restore that has begun cannot be repeated');
      }
      hasBegun = true;
      await (isMigrated ? assertEmpty(sql) : assertNoTables(sql));
    },
    load: async (sql) => {
      loaded = await load(sql, backup, options);
    },
    after: async (sql) => {
      if (options.closesChallenges === true) {
        await sql('challenges')
          .whereNull('closed_by')
          .update({ closed_by: 'superseded', closed_at: sql.fn.now() });
      }
      await expectTimeOfAudit(sql);
      await sql.raw('SELECT rebuild_counts()');
      await sql.raw(`ANALYZE ${BACKED_UP_TABLES.join(', ')}`);
    },
  });
  return loaded;
}

/** @throws ServiceError 'backup.invalid' if its migrations and tables are not those of this program */
export function assertLoadable({ header }: OpenBackup): void {
  const { migrations, checksums, version } = header;
  const applied = migrations.map((name) => ({ name, checksum: checksums.get(name) ?? null, version }));
  assertMigrationsKnown(applied, (reason) =>
    backupInvalid(`${reason}. Restore it with tankeeper ${version}`),
  );
  const known: readonly string[] = BACKED_UP_TABLES;
  const unknown = header.tables.filter((table) => !known.includes(table));
  if (unknown.length > 0 || header.auditMonths.some((month) => !/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month))) {
    throw backupInvalid(`it has tables that this program does not know: ${unknown.join(', ')}`);
  }
}

async function load(
  sql: Knex.Transaction,
  backup: OpenBackup,
  { keys, of, progress }: LoadOptions,
): Promise<RowCounts> {
  const { tables, auditMonths, identities } = backup.header;
  await sql.raw("SET LOCAL tankeeper.audit = 'open'");
  for (const month of auditMonths) {
    await sql.raw('SELECT add_audit_month(?::timestamptz)', [`${month}-01T00:00:00Z`]);
  }
  for (const table of COUNTED_TABLES) {
    await sql.raw('ALTER TABLE ?? DISABLE TRIGGER USER', [table]);
  }
  // Migrations have put rows into new tables.
  for (const table of tables.toReversed()) {
    await sql(table).delete();
  }
  const counts = await insertAll(sql, backup.rows(keys), (rows) => progress?.(rows, of));
  for (const table of COUNTED_TABLES) {
    await sql.raw('ALTER TABLE ?? ENABLE TRIGGER USER', [table]);
  }
  await sql.raw('ALTER TABLE tokens ENABLE ALWAYS TRIGGER tokens_count_version');
  for (const [table, last] of identities) {
    await sql.raw("SELECT setval(pg_get_serial_sequence(?, 'id'), ?::bigint)", [table, last]);
  }
  return counts;
}

async function insertAll(
  sql: Knex.Transaction,
  batches: ReturnType<OpenBackup['rows']>,
  progress: (rows: number) => void,
): Promise<RowCounts> {
  let done = 0;
  for (;;) {
    const { value, done: isEnd } = await batches.next();
    if (isEnd === true) {
      return value;
    }
    const columns = await storedColumns(sql, value.table);
    const names = columns.map(() => '??').join(', ');
    await sql.raw(
      `INSERT INTO ?? (${names}) OVERRIDING SYSTEM VALUE SELECT ${names} FROM json_populate_recordset(NULL::??, ?::json)`,
      [value.table, ...columns, ...columns, value.table, value.json],
    );
    done += value.size;
    progress(done);
  }
}

/** @returns the columns of the table that the database does not compute itself */
async function storedColumns(sql: Knex.Transaction, table: string): Promise<readonly string[]> {
  const { rows } = await sql.raw<{ rows: { name: string }[] }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** @throws ServiceError 'database.not-empty' that names the tables with rows */
async function assertEmpty(sql: Knex.Transaction): Promise<void> {
  // An earlier version has fewer tables.
  const tables = await existingTables(sql, TABLES_IN_USE);
  if (tables.length > 0) {
    await sql.raw(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
  }
  const inUse: string[] = [];
  for (const table of tables) {
    if ((await sql(table).first(sql.raw('1'))) !== undefined) {
      inUse.push(table);
    }
  }
  if (inUse.length > 0) {
    throw notEmpty(`it holds ${inUse.join(', ')}`);
  }
}

/** @throws ServiceError 'database.not-empty' if another program has tables of these names */
async function assertNoTables(sql: Knex.Transaction): Promise<void> {
  const foreign = await existingTables(sql, [...BACKED_UP_TABLES, ...LEFT_OUT_TABLES]);
  if (foreign.length > 0) {
    throw notEmpty(`it has tables of another program: ${foreign.join(', ')}`);
  }
}

async function existingTables(sql: Knex.Transaction, tables: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql.raw<{ rows: { name: string }[] }>(
    'SELECT name FROM unnest(?::text[]) WITH ORDINALITY AS t (name, place) WHERE to_regclass(name) IS NOT NULL ORDER BY place',
    [[...tables]],
  );
  return rows.map(({ name }) => name);
}

function notEmpty(reason: string): ServiceError {
  return new ServiceError(
    'database.not-empty',
    `A backup is restored into an empty database only, and this one is not: ${reason}. Nothing was written`,
  );
}

/** A token as a backup has it, with the names that its ids stand for there. */
interface BackedUpToken {
  /** JSON arrays of rows, one of which is the token. */
  readonly rows: readonly string[];
  readonly names: Readonly<Record<'realms' | 'resolvers', ReadonlyMap<string, string>>>;
  /** The ids of the realms of each set. */
  readonly realmSets: ReadonlyMap<string, readonly string[]>;
}

interface References {
  readonly realm_set_id: string;
  readonly owner_resolver_id: string | null;
  readonly owner_user_id: string | null;
  readonly owner_login: string | null;
}

/**
 * Brings one token back into an installation that runs, such as one that was removed by mistake: the row as it was, in
 * the realms and of the owner of the same names. Its challenges stay away, so that no response to one of them is accepted
 * again.
 * @throws ServiceError 'backup.invalid', 'token.unknown', 'token.exists', 'realm.unknown', 'resolver.unknown',
 *   'user.unknown', 'key.unavailable'
 */
export async function restoreToken(
  database: Database,
  backup: OpenBackup,
  { keys, serial, act }: { readonly keys: KeyDerivation; readonly serial: string; readonly act: Act },
): Promise<void> {
  await assertSameTables(database.knex, backup);
  const found = await findToken(backup, keys, serial);
  await database.transact((unit) =>
    insert(unit, found, serial, act, `restored from ${backup.header.createdAt.toISOString()}`),
  );
}

async function assertSameTables(knex: Knex, { header }: OpenBackup): Promise<void> {
  const applied = (await appliedMigrations(knex)).map(({ name }) => name);
  if (applied.join() !== header.migrations.join()) {
    throw backupInvalid(
      `its tables are not those of this database. Restore it into another one with this version of tankeeper, and export that: the token is then in the new backup`,
    );
  }
}

/** Reads the backup to its end, which verifies it. */
async function findToken(backup: OpenBackup, keys: KeyDerivation, serial: string): Promise<BackedUpToken> {
  const rows: string[] = [];
  const names = { realms: new Map<string, string>(), resolvers: new Map<string, string>() };
  const realmSets = new Map<string, readonly string[]>();
  for await (const { table, json } of backup.rows(keys)) {
    if (table === 'tokens' && json.includes(JSON.stringify(serial))) {
      rows.push(json);
    } else if (table === 'realms' || table === 'resolvers') {
      for (const { id, name } of JSON.parse(json) as readonly { id: number; name: string }[]) {
        names[table].set(String(id), name);
      }
    } else if (table === 'realm_sets') {
      for (const { id, realm_ids } of JSON.parse(json) as readonly { id: number; realm_ids: number[] }[]) {
        realmSets.set(String(id), realm_ids.map(String));
      }
    }
  }
  return { rows, names, realmSets };
}

/** Columns of ids, which are others here. */
const ID_COLUMNS: readonly string[] = ['realm_set_id', 'owner_resolver_id'];

async function insert(
  { sql, audit }: UnitOfWork,
  found: BackedUpToken,
  serial: string,
  act: Act,
  outcome: string,
): Promise<void> {
  const [row, references] = (await rowIn(sql, found.rows, serial)) ?? [];
  if (row === undefined || references === undefined) {
    throw new ServiceError('token.unknown', `The backup has no token with the serial '${serial}'`);
  }
  const realms = realmsOf(found, references);
  const columns = await holdReferences(sql, { realms, owner: await ownerIn(sql, found, references) });
  if ((await sql('tokens').where({ serial }).first('id')) !== undefined) {
    throw new ServiceError('token.exists', `There is a token with the serial '${serial}' already`);
  }
  const kept = (await storedColumns(sql, 'tokens')).filter((name) => name !== 'id' && name !== 'version');
  const values = kept.map((name) => (ID_COLUMNS.includes(name) ? '?::bigint' : '??'));
  const bound = kept.map((name) => (ID_COLUMNS.includes(name) ? (columns[name] ?? null) : name));
  await sql.raw(
    `INSERT INTO tokens (${kept.map(() => '??').join(', ')})
     SELECT ${values.join(', ')} FROM json_populate_recordset(NULL::tokens, ?::json) WHERE serial = ?`,
    [...kept, ...bound, row, serial],
  );
  await audit.write(act, serial, outcome, realms);
}

async function rowIn(
  sql: Knex.Transaction,
  batches: readonly string[],
  serial: string,
): Promise<readonly [string, References] | undefined> {
  for (const json of batches) {
    const { rows } = await sql.raw<{ rows: References[] }>(
      `SELECT realm_set_id, owner_resolver_id, owner_user_id, owner_login
       FROM json_populate_recordset(NULL::tokens, ?::json) WHERE serial = ?`,
      [json, serial],
    );
    if (rows[0] !== undefined) {
      return [json, rows[0]];
    }
  }
  return undefined;
}

function realmsOf({ names, realmSets }: BackedUpToken, { realm_set_id }: References): readonly string[] {
  return (realmSets.get(realm_set_id) ?? []).map((id) => names.realms.get(id) ?? '').sort();
}

/** @throws ServiceError 'resolver.unknown' */
async function ownerIn(
  sql: Knex.Transaction,
  { names }: BackedUpToken,
  { owner_resolver_id: id, owner_user_id: userId, owner_login: login }: References,
): Promise<Owner | null> {
  if (id === null || userId === null || login === null) {
    return null;
  }
  const name = names.resolvers.get(id) ?? '';
  const resolver = await sql('resolvers').where({ name }).first<{ id: string } | undefined>('id');
  if (resolver === undefined) {
    throw new ServiceError('resolver.unknown', `There is no resolver '${name}'`, { name });
  }
  return { resolverId: resolver.id, resolver: name, userId, login };
}
