import type { Knex } from 'knex';

import { setTimeout as sleep } from 'node:timers/promises';

import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { packageVersion } from '../kernel/package-version.ts';
import { unlessAborted } from '../kernel/stop-request.ts';
import type { Database } from './database.ts';
import { DEFAULT_SCHEMAS } from './session-settings.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import { migrationChecksums } from './migration-checksums.ts';
import { migrationNames, migrationSource, migrationSourceOf } from './migration-source.ts';

/** The advisory lock of schema changes: several servers may start at once. "tank", "migr". */
export const MIGRATION_LOCK = [0x74616e6b, 0x6d696772] as const;

const CONFIG: Knex.MigratorConfig = { migrationSource };

/**
 * All tables but Knex's own, in the order in which the statements of requests name them: tokens before what these refer
 * to. So a migration holds nothing that the request wants for which it waits.
 */
// prettier-ignore
export const TABLES = [
  'tokens', 'realm_sets', 'resolvers', 'challenges', 'users', 'realms', 'realm_resolvers',
  'encryption_keys', 'configuration_state', 'configuration', 'policies',
  'imported_entries', 'imported_tokens',
  'count_state', 'count_deltas', 'token_counts', 'active_user_tokens', 'active_user_counts', 'locked_token_deltas',
  'locked_token_counts', 'user_count_deltas', 'user_counts', 'resolver_user_counts',
  'administrators', 'sessions', 'sign_in_attempts', 'passkeys', 'api_tokens', 'user_sessions', 'used_sign_ons',
  'audit', 'audit_checkpoints', 'audit_verifications',
  'webhooks', 'webhook_events', 'webhook_deliveries', 'webhook_health',
  'rate_limits', 'response_minutes', 'resolver_uses', 'clock_state',
] as const;

/**
 * The longest wait for the locks of all tables, behind which the requests of running servers wait, too; and the pause
 * before the next attempt, which doubles.
 */
const LOCK_MS = 200;
const PAUSE_MS = { first: 1_000, longest: 30_000 };
/** Milliseconds after which the blockers of an attempt are looked up. */
const LOOK_MS = 50;

/** A migration that was applied, with what was noted of it: null where it was applied without a note. */
interface AppliedMigration {
  readonly name: string;
  readonly checksum: string | null;
  /** The version of the program that applied it. */
  readonly version: string | null;
}

/**
 * Brings the schema up to date in one transaction: completely or, after any failure or crash, not at all. Waits for who
 * uses the tables, as a backup does, without making others wait long.
 * @param log is told who keeps it waiting
 * @param giveUp aborts the waiting
 * @returns the names of the migrations that were applied, in order
 * @throws ServiceError 'configuration.invalid' when the database is not of this program, or may not be changed; the
 *   reason of `giveUp`
 */
export async function migrateToLatest(
  database: Database,
  log?: Log,
  giveUp?: AbortSignal,
): Promise<readonly string[]> {
  let pause = PAUSE_MS.first;
  for (let attempt = 1; ; attempt += 1) {
    giveUp?.throwIfAborted();
    let looking: Promise<readonly string[]> = Promise.resolve([]);
    try {
      return await withSchemaLocked(database, async (sql, applied) => {
        if (applied.length === migrationNames.length) {
          return [];
        }
        looking = lookForBlockers(database.knex, await processOf(sql));
        await sql.raw(`SET LOCAL lock_timeout = ${LOCK_MS}; SET LOCAL statement_timeout = ${LOCK_MS}`);
        await lockTables(sql);
        await sql.raw('SET LOCAL statement_timeout = 0');
        const [, names] = (await sql.migrate.latest(CONFIG)) as [number, string[]];
        return names;
      });
    } catch (error) {
      if (!isContended(error)) {
        throw error;
      }
    }
    log?.warn('The migration waits for others who use the tables', {
      component: 'database',
      attempts: attempt,
      faultDetail: (await looking).join(', '),
    });
    await unlessAborted(sleep(pause, undefined, { ref: giveUp === undefined }), giveUp);
    pause = Math.min(pause * 2, PAUSE_MS.longest);
  }
}

/** Waits for all tables here, and for none later on, while requests wait for others of them. */
async function lockTables(sql: Knex.Transaction): Promise<void> {
  const { rows } = await sql.raw<{ rows: { name: string }[] }>(
    `SELECT name FROM unnest(?::text[]) WITH ORDINALITY AS tables (name, place)
     WHERE to_regclass(name) IS NOT NULL ORDER BY place`,
    [[...TABLES]],
  );
  if (rows.length > 0) {
    await sql.raw(`LOCK TABLE ${rows.map(({ name }) => name).join(', ')}`);
  }
}

async function processOf(sql: Knex): Promise<number> {
  const { rows } = await sql.raw<{ rows: { pid: number }[] }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

/** @returns the processes for which this one soon waits, with their programs; what fails here is of no matter */
async function lookForBlockers(pool: Knex, pid: number): Promise<readonly string[]> {
  const question = `SELECT format('process %s (%s)', pid, coalesce(nullif(application_name, ''), 'unnamed')) AS name
     FROM pg_stat_activity WHERE pid = ANY (pg_blocking_pids(?)) ORDER BY pid`;
  try {
    for (let look = 0; look < LOCK_MS / LOOK_MS; look += 1) {
      await sleep(LOOK_MS);
      const { rows } = await pool.raw<{ rows: { name: string }[] }>(question, [pid]);
      if (rows.length > 0) {
        return rows.map(({ name }) => name);
      }
    }
  } catch {
    // Who blocks is a hint.
  }
  return [];
}

/** lock_not_available, query_canceled, deadlock_detected. */
const CONTENDED = ['55P03', '57014', '40P01'];

function isContended(error: unknown): boolean {
  const { cause } = (error ?? {}) as { cause?: { code?: unknown } | null };
  return isServiceError(error, 'database.unavailable') && CONTENDED.includes(String(cause?.code));
}

/** The steps of `withNewSchema`, in its transaction. */
interface SchemaSteps {
  /** Refuses a database that is not empty. */
  readonly before: (sql: Knex.Transaction) => Promise<void>;
  /** Fills the tables as the named migrations have made them. */
  readonly load: (sql: Knex.Transaction) => Promise<void>;
  /** Runs on tables that are up to date. */
  readonly after: (sql: Knex.Transaction) => Promise<void>;
}

/**
 * Makes the schema as the named migrations leave it, and after the load brings it up to date, in one transaction.
 * @param names the first migrations, in order
 */
export function withNewSchema(
  database: Database,
  names: readonly string[],
  { before, load, after }: SchemaSteps,
): Promise<void> {
  return withSchemaLocked(database, async (sql) => {
    await before(sql);
    await sql.migrate.latest({ migrationSource: migrationSourceOf(names) });
    await load(sql);
    await sql.migrate.latest(CONFIG);
    await after(sql);
  });
}

/**
 * @param fault makes the error from the reason, with the versions of both programs
 * @throws the error, unless the migrations are this program's first ones, all in the form in which it has them
 */
export function assertMigrationsKnown(
  applied: readonly AppliedMigration[],
  fault: (reason: string) => Error,
): void {
  const here = `this is tankeeper ${packageVersion()}`;
  const by = ({ version }: AppliedMigration): string => `tankeeper ${version ?? 'of an unknown version'}`;
  const missing = migrationNames
    .slice(0, applied.length)
    .find((name) => applied.every((one) => one.name !== name));
  const unknown = applied.find(({ name }) => !migrationNames.includes(name));
  const other = unknown ?? applied.at(-1);
  if (missing !== undefined && other !== undefined) {
    throw fault(
      `the database lacks ${missing}, and ${by(other)} has applied ${other.name}; ${here}: run the version that made it`,
    );
  }
  if (unknown !== undefined) {
    const names = applied.filter(({ name }) => !migrationNames.includes(name)).map(({ name }) => name);
    throw fault(
      `the database is newer than this program: ${by(unknown)} has applied ${names.join(', ')}, and ${here}, which does not know that: run the newer version`,
    );
  }
  const changed = applied.find(({ name, checksum }) => checksum !== migrationChecksums[name]);
  if (changed !== undefined) {
    throw fault(
      `${by(changed)} has applied ${changed.name} in another form than that of this program; ${here}: run the version that made the database, or use a new one`,
    );
  }
}

/**
 * Finds pending migrations without changing anything.
 * @returns the names of the migrations to apply, in order
 * @throws ServiceError 'configuration.invalid' when the database is not of this program
 */
export async function pendingMigrations(database: Database): Promise<readonly string[]> {
  const applied = await appliedMigrations(database.knex);
  assertOurs(applied);
  await assertNotElsewhere(database.knex, applied);
  return migrationNames.slice(applied.length);
}

function withSchemaLocked<T>(
  database: Database,
  work: (sql: Knex.Transaction, applied: readonly AppliedMigration[]) => Promise<T>,
): Promise<T> {
  const change = async ({ sql }: UnitOfWork): Promise<T> => {
    // Waits however long others take.
    await sql.raw('SET LOCAL lock_timeout = 0');
    await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [...MIGRATION_LOCK]);
    const applied = await appliedMigrations(sql);
    assertOurs(applied);
    await assertNotElsewhere(sql, applied);
    await assertMayCreate(sql);
    if (await isThere(sql, 'knex_migrations_lock')) {
      // A killed `knex` command leaves Knex's own lock, a row, for ever. Our lock is held, so no other migration runs.
      await sql('knex_migrations_lock').update({ is_locked: 0 });
    }
    return work(sql, applied);
  };
  return database.transact(change, { isLong: true });
}

/**
 * Looks whether requests can be served. A newer version may have migrated the database.
 * @throws ServiceError 'configuration.invalid' that names what is missing; any other where the tables cannot be read
 */
export async function assertServes({ knex }: Pick<Database, 'knex'>): Promise<void> {
  const { rows } = await knex.raw<{ rows: { lack: string }[] }>(LACKS, [
    JSON.stringify(migrationChecksums),
    [...TABLES],
  ]);
  if (rows.length > 0) {
    const text = `the database cannot serve: ${rows.map(({ lack }) => lack).join(', ')}`;
    throw new ServiceError('configuration.invalid', text, { detail: text });
  }
}

/** Rows of the audit are only added. */
const LACKS = `
  SELECT 'it takes no writes' AS lack WHERE pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean
  UNION ALL SELECT 'migration ' || name FROM json_each_text(?::json) AS ours (name, checksum)
    WHERE NOT EXISTS (SELECT FROM knex_migrations AS applied JOIN knex_migration_checksums AS noted USING (name)
      WHERE applied.name = ours.name AND noted.checksum = ours.checksum)
  UNION ALL SELECT CASE WHEN place IS NULL THEN 'table ' ELSE 'rights on ' END || name
    FROM unnest(?::text[]) AS tables (name), to_regclass(name) AS place
    WHERE (has_table_privilege(place, 'SELECT') AND has_table_privilege(place, 'INSERT')
      AND (name LIKE 'audit%' OR has_table_privilege(place, 'UPDATE'))) IS NOT TRUE
  UNION ALL SELECT 'rows of ' || name FROM (VALUES
      ('configuration_state', EXISTS (SELECT FROM configuration_state)),
      ('count_state', EXISTS (SELECT FROM count_state)),
      ('administrators', EXISTS (SELECT FROM administrators))) AS kept (name, are_there) WHERE NOT are_there`;

/** @returns the applied migrations by their names */
export async function appliedMigrations(connection: Knex): Promise<readonly AppliedMigration[]> {
  if (!(await isThere(connection, 'knex_migrations'))) {
    return [];
  }
  if (await isThere(connection, 'knex_migration_checksums')) {
    return connection('knex_migrations')
      .leftJoin('knex_migration_checksums', 'knex_migration_checksums.name', 'knex_migrations.name')
      .orderByRaw('knex_migrations.name COLLATE "C"')
      .select<AppliedMigration[]>('knex_migrations.name', 'checksum', 'version');
  }
  const names = await connection('knex_migrations').orderByRaw('name COLLATE "C"').pluck<string[]>('name');
  return names.map((name) => ({ name, checksum: null, version: null }));
}

async function isThere(connection: Knex, table: string): Promise<boolean> {
  const { rows } = await connection.raw<{ rows: { there: boolean }[] }>(
    'SELECT to_regclass(?) IS NOT NULL AS there',
    [table],
  );
  return rows[0]?.there === true;
}

function assertOurs(applied: readonly AppliedMigration[]): void {
  assertMigrationsKnown(applied, (reason) => new ServiceError('configuration.invalid', reason));
}

/**
 * Sessions do not take the schema from the role or the database: an installation that was kept so must not be taken for
 * a missing one. Who names a schema in DATABASE_URL may have several.
 * @throws ServiceError 'configuration.invalid' with the remedy
 */
async function assertNotElsewhere(sql: Knex, applied: readonly AppliedMigration[]): Promise<void> {
  if (applied.length > 0) {
    return;
  }
  const { rows } = await sql.raw<{ rows: { place: string }[] }>(
    `SELECT nspname::text AS place
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE relname IN ('knex_migrations', 'knex_migration_checksums') AND relkind = 'r'
       AND nspname <> coalesce(current_schema(), '')
       AND current_setting('search_path') = ?
     GROUP BY nspname HAVING count(*) = 2
     ORDER BY place`,
    [DEFAULT_SCHEMAS],
  );
  if (rows.length > 0) {
    const places = rows.map(({ place }) => place);
    const value = encodeURIComponent(`-c search_path=${places[0] ?? ''}`);
    throw new ServiceError(
      'configuration.invalid',
      `the database has an installation in another schema: ${places.join(', ')}. The search_path of a role or database is not used: name the schema in DATABASE_URL (?options=${value}); for a new installation beside it, that of its own`,
    );
  }
}

/** @throws ServiceError 'configuration.invalid' with the remedy if the role may make no tables */
async function assertMayCreate(sql: Knex): Promise<void> {
  const { rows } = await sql.raw<{
    rows: { role: string; base: string; place: string | null; may: boolean }[];
  }>(
    `SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS base,
       quote_ident(current_schema()) AS place,
       coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may`,
  );
  const [row] = rows;
  if (row?.may === false) {
    const { role, base, place } = row;
    const text =
      place === null
        ? `the role ${role} has no schema in the database ${base} (search_path): CREATE SCHEMA AUTHORIZATION ${role}`
        : `the role ${role} may make no tables in the schema ${place} of the database ${base}, as PostgreSQL 15 and newer grant that to the owner of the database alone. As a superuser: ALTER DATABASE ${base} OWNER TO ${role}; or: GRANT USAGE, CREATE ON SCHEMA ${place} TO ${role}`;
    throw new ServiceError('configuration.invalid', text);
  }
}
