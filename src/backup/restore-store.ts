import type { Knex } from 'knex';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Database } from '../database/database.ts';
import { appliedMigrations, assertMigrationsKnown, withNewSchema } from '../database/migrate.ts';
import { connectionOf } from '../database/pool.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { expectTimeOfAudit } from '../housekeeping/pruning-clock-store.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Act } from '../policy/caller.ts';
import { holdReferences } from '../tokens/token-rows-store.ts';
import { TOTP_TIME_WINDOW } from '../tokens/token.ts';
import type { Owner } from '../users/user.ts';
import { type BackedUpTable, backupInvalid, type BackupManifest } from './backup-format.ts';
import { BACKED_UP_TABLES, LEFT_OUT_TABLES } from './backup-store.ts';

/** Tables whose triggers count rows. A load disables them and counts anew. */
const COUNTED_TABLES = ['tokens', 'users'] as const;

/** A verified backup, which can be read again. */
export interface VerifiedBackup {
  readonly manifest: BackupManifest;
  /**
   * Reads it once more from its beginning.
   * @throws ServiceError 'backup.invalid' if it is another one by now
   */
  readonly read: (take: (table: string, bytes: AsyncIterable<Uint8Array>) => Promise<void>) => Promise<void>;
}

/**
 * Loads a backup into a database without tables, in one transaction: completely or not at all. The tables are made as
 * the backup's migrations leave them, and brought up to date afterwards. Open challenges are closed: some may have been
 * answered after the backup. Time steps around now count as used.
 * @throws ServiceError 'backup.invalid', 'database.not-empty'
 */
export async function loadBackup(database: Database, { manifest, read }: VerifiedBackup): Promise<void> {
  assertLoadable(manifest);
  await withNewSchema(
    database,
    manifest.migrations.map(({ name }) => name),
    {
      before: assertEmpty,
      load: async (sql) => {
        await prepareTables(sql, manifest);
        await read((name, bytes) => copyInto(sql, name, tableOf(manifest, name), bytes));
        await finishTables(sql, manifest);
      },
      after: async (sql) => {
        await sql('challenges')
          .whereNull('closed_by')
          .update({ closed_by: 'superseded', closed_at: sql.fn.now() });
        await passOverTimeSteps(sql);
        await expectTimeOfAudit(sql);
        await sql.raw('SELECT rebuild_counts()');
        await sql.raw(`ANALYZE ${BACKED_UP_TABLES.join(', ')}`);
      },
    },
  );
}

/**
 * Responses of TOTP that were accepted after the backup lie in the window around now.
 * @param only selects tokens; default: all
 */
async function passOverTimeSteps(
  sql: Knex.Transaction,
  only: { readonly serial?: string } = {},
): Promise<void> {
  const behind = `extract(epoch FROM now())::bigint + greatest(time_shift, 0) + coalesce(time_window, ?) + 60`;
  await sql('tokens')
    .where({ ...only, type: 'totp' })
    .whereNotNull('algorithm')
    .update({ counter: sql.raw(`greatest(counter, ${behind})`, [TOTP_TIME_WINDOW]) });
}

/** @throws ServiceError 'backup.invalid' if its migrations and tables are not those of this program */
export function assertLoadable({ migrations, version, tables }: BackupManifest): void {
  assertMigrationsKnown(
    migrations.map((migration) => ({ ...migration, version })),
    (reason) => backupInvalid(`${reason}. Restore it with tankeeper ${version}`),
  );
  const known: readonly string[] = BACKED_UP_TABLES;
  const unknown = tables.map(({ name }) => name).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw backupInvalid(`it has tables that this program does not know: ${unknown.join(', ')}`);
  }
}

function tableOf({ tables }: BackupManifest, name: string): BackedUpTable {
  const table = tables.find((one) => one.name === name);
  if (table === undefined) {
    throw backupInvalid(`its manifest does not name the table ${name}`);
  }
  return table;
}

async function prepareTables(
  sql: Knex.Transaction,
  { audit_months: months, tables }: BackupManifest,
): Promise<void> {
  await sql.raw("SET LOCAL tankeeper.audit = 'open'");
  for (const month of months) {
    await sql.raw('SELECT add_audit_month(?::timestamptz)', [`${month}-01T00:00:00Z`]);
  }
  for (const table of COUNTED_TABLES) {
    await sql.raw('ALTER TABLE ?? DISABLE TRIGGER USER', [table]);
  }
  // Migrations have put rows into new tables.
  for (const { name } of tables.toReversed()) {
    await sql(name).delete();
  }
}

async function finishTables(sql: Knex.Transaction, { tables }: BackupManifest): Promise<void> {
  for (const table of COUNTED_TABLES) {
    await sql.raw('ALTER TABLE ?? ENABLE TRIGGER USER', [table]);
  }
  await sql.raw('ALTER TABLE tokens ENABLE ALWAYS TRIGGER tokens_count_version');
  for (const { name, last_id: last } of tables) {
    if (last !== undefined) {
      await sql.raw("SELECT setval(pg_get_serial_sequence(?, 'id'), ?::bigint)", [name, last]);
    }
  }
}

async function copyInto(
  sql: Knex.Transaction,
  into: string,
  { columns }: BackedUpTable,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const names = columns.map((name) => pg.escapeIdentifier(name)).join(', ');
  const statement = `COPY ${into} (${names}) FROM STDIN`;
  await pipeline(bytes, (await connectionOf(sql)).query(copyFrom(statement)));
}

/** @throws ServiceError 'database.not-empty' that names tables */
async function assertEmpty(sql: Knex.Transaction): Promise<void> {
  const { rows } = await sql.raw<{ rows: { name: string }[] }>(
    'SELECT name FROM unnest(?::text[]) AS name WHERE to_regclass(name) IS NOT NULL',
    [['knex_migrations', ...BACKED_UP_TABLES, ...LEFT_OUT_TABLES]],
  );
  if (rows.length > 0) {
    const names = rows.slice(0, 5).map(({ name }) => name);
    throw new ServiceError(
      'database.not-empty',
      `A backup is restored into an empty database only, and this one has tables: ${names.join(', ')}. Nothing was written`,
    );
  }
}

/** The tables of a backup that a token needs. */
const TABLES_OF_TOKEN: readonly string[] = ['realms', 'resolvers', 'realm_sets', 'tokens'];

/** What a token of a backup refers to, by name. */
interface References {
  readonly realms: readonly string[];
  readonly resolver: string | null;
  readonly owner_user_id: string | null;
  readonly owner_login: string | null;
}

/**
 * Brings one token back into an installation that runs, such as one that was removed by mistake: the row as it was, in
 * the realms and of the owner of the same names. Its challenges stay away, and time steps around now count as used:
 * no response to them is accepted again. A counter is that of the backup.
 * @throws ServiceError 'backup.invalid', 'token.unknown', 'token.exists', 'realm.unknown', 'resolver.unknown',
 *   'user.unknown', 'key.unavailable'
 */
export async function restoreToken(
  database: Database,
  { manifest, read }: VerifiedBackup,
  { serial, act }: { readonly serial: string; readonly act: Act },
): Promise<void> {
  await assertSameTables(database.knex, manifest);
  const outcome = `restored from ${manifest.created.toISOString()}`;
  await database.transact(
    async (unit) => {
      for (const name of TABLES_OF_TOKEN) {
        await unit.sql.raw('CREATE TEMPORARY TABLE ?? ON COMMIT DROP AS SELECT * FROM ?? LIMIT 0', [
          `backup_${name}`,
          name,
        ]);
      }
      await read((name, bytes) =>
        TABLES_OF_TOKEN.includes(name)
          ? copyInto(unit.sql, `backup_${name}`, tableOf(manifest, name), bytes)
          : skip(bytes),
      );
      await insert(unit, tableOf(manifest, 'tokens').columns, serial, act, outcome);
    },
    { isLong: true },
  );
}

async function assertSameTables(knex: Knex, { migrations }: BackupManifest): Promise<void> {
  const applied = (await appliedMigrations(knex)).map(({ name }) => name);
  if (applied.join() !== migrations.map(({ name }) => name).join()) {
    throw backupInvalid(
      `its tables are not those of this database. Restore it into another one with this version of tankeeper, and export that: the token is then in the new backup`,
    );
  }
}

/** Reads to the end. */
export async function skip(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const pieces = bytes[Symbol.asyncIterator]();
  while ((await pieces.next()).done !== true) {
    // The reader of the backup has hashed these bytes.
  }
}

/** Columns of ids, which are others here. */
const ID_COLUMNS: readonly string[] = ['realm_set_id', 'owner_resolver_id'];

async function insert(
  { sql, audit }: UnitOfWork,
  columns: readonly string[],
  serial: string,
  act: Act,
  outcome: string,
): Promise<void> {
  const references = await referencesIn(sql, serial);
  if (references === undefined) {
    throw new ServiceError('token.unknown', `The backup has no token with the serial '${serial}'`);
  }
  const { realms } = references;
  const ids = await holdReferences(sql, { realms, owner: await ownerIn(sql, references) });
  if ((await sql('tokens').where({ serial }).first('id')) !== undefined) {
    throw new ServiceError('token.exists', `There is a token with the serial '${serial}' already`);
  }
  const kept = columns.filter((name) => name !== 'id' && name !== 'version');
  const values = kept.map((name) => (ID_COLUMNS.includes(name) ? '?::bigint' : '??'));
  const bound = kept.map((name) => (ID_COLUMNS.includes(name) ? (ids[name] ?? null) : name));
  await sql.raw(
    `INSERT INTO tokens (${kept.map(() => '??').join(', ')})
     SELECT ${values.join(', ')} FROM backup_tokens WHERE serial = ?`,
    [...kept, ...bound, serial],
  );
  await passOverTimeSteps(sql, { serial });
  await audit.write(act, serial, outcome, realms);
}

async function referencesIn(sql: Knex.Transaction, serial: string): Promise<References | undefined> {
  const { rows } = await sql.raw<{ rows: References[] }>(
    `SELECT ARRAY(SELECT r.name FROM backup_realms AS r WHERE r.id = ANY (s.realm_ids) ORDER BY r.name) AS realms,
       (SELECT o.name FROM backup_resolvers AS o WHERE o.id = t.owner_resolver_id) AS resolver,
       t.owner_user_id, t.owner_login
     FROM backup_tokens AS t LEFT JOIN backup_realm_sets AS s ON s.id = t.realm_set_id
     WHERE t.serial = ?`,
    [serial],
  );
  return rows[0];
}

/** @throws ServiceError 'resolver.unknown' */
async function ownerIn(
  sql: Knex.Transaction,
  { resolver: name, owner_user_id: userId, owner_login: login }: References,
): Promise<Owner | null> {
  if (name === null || userId === null || login === null) {
    return null;
  }
  const resolver = await sql('resolvers').where({ name }).first<{ id: string } | undefined>('id');
  if (resolver === undefined) {
    throw new ServiceError('resolver.unknown', `There is no resolver '${name}'`, { name });
  }
  return { resolverId: resolver.id, resolver: name, userId, login };
}
