import type { Knex } from 'knex';

import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from './database.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import { migrationNames, migrationSource, migrationSourceOf } from './migration-source.ts';

/** The advisory lock of schema changes: several servers may start at once. "tank", "migr". */
export const MIGRATION_LOCK = [0x74616e6b, 0x6d696772] as const;

const CONFIG: Knex.MigratorConfig = { migrationSource };

/**
 * Brings the schema up to date in one transaction: completely or, after any failure or crash, not at all.
 * @returns the names of the migrations that were applied, in order
 * @throws ServiceError 'configuration.invalid' when the database is newer than this program
 */
export function migrateToLatest(database: Database): Promise<readonly string[]> {
  return withSchemaLocked(database, async (sql) => {
    const [, applied] = (await sql.migrate.latest(CONFIG)) as [number, string[]];
    return applied;
  });
}

/** The steps of `rebuildSchema`, in its transaction. */
export interface RebuildSteps {
  /** @param isMigrated false if no migration was ever applied */
  readonly before: (sql: Knex.Transaction, isMigrated: boolean) => Promise<void>;
  /** Fills the tables as the named migrations have made them. */
  readonly load: (sql: Knex.Transaction) => Promise<void>;
  /** Runs on tables that are up to date. */
  readonly after: (sql: Knex.Transaction) => Promise<void>;
}

/**
 * Makes the schema anew as the named migrations leave it, and after the load brings it up to date, in one transaction.
 * Removes all data.
 * @param names the first migrations, in order
 */
export function rebuildSchema(
  database: Database,
  names: readonly string[],
  { before, load, after }: RebuildSteps,
): Promise<void> {
  return withSchemaLocked(database, async (sql) => {
    await before(sql, (await appliedMigrations(sql)).length > 0);
    await sql.migrate.rollback(CONFIG, true);
    await sql.migrate.latest({ migrationSource: migrationSourceOf(names) });
    await load(sql);
    await sql.migrate.latest(CONFIG);
    await after(sql);
  });
}

/**
 * @param fault makes the error from the names of unknown migrations
 * @throws the error, unless the names are those of this program's first migrations, in order
 */
export function assertMigrationsKnown(names: readonly string[], fault: (unknown: string) => Error): void {
  const unknown = names.filter((name, place) => migrationNames[place] !== name);
  if (unknown.length > 0) {
    throw fault(unknown.join(', '));
  }
}

/**
 * Finds pending migrations without changing anything.
 * @returns the names of the migrations to apply, in order
 * @throws ServiceError 'configuration.invalid' when the database is newer than this program
 */
export async function pendingMigrations(database: Database): Promise<readonly string[]> {
  const applied = await appliedMigrations(database.knex);
  assertKnown(applied);
  return migrationNames.filter((name) => !applied.includes(name));
}

function withSchemaLocked<T>(database: Database, work: (sql: Knex.Transaction) => Promise<T>): Promise<T> {
  const change = async ({ sql }: UnitOfWork): Promise<T> => {
    // Waits however long others take.
    await sql.raw('SET LOCAL lock_timeout = 0');
    await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [...MIGRATION_LOCK]);
    assertKnown(await appliedMigrations(sql));
    if (await isThere(sql, 'knex_migrations_lock')) {
      // A killed `knex` command leaves Knex's own lock, a row, for ever. Our lock is held, so no other migration runs.
      await sql('knex_migrations_lock').update({ is_locked: 0 });
    }
    return work(sql);
  };
  return database.transact(change, { isLong: true });
}

async function appliedMigrations(connection: Knex): Promise<readonly string[]> {
  return (await isThere(connection, 'knex_migrations'))
    ? connection<{ id: number; name: string }>('knex_migrations').orderBy('id').pluck('name')
    : [];
}

async function isThere(connection: Knex, table: string): Promise<boolean> {
  const { rows } = await connection.raw<{ rows: { there: boolean }[] }>(
    'SELECT to_regclass(?) IS NOT NULL AS there',
    [table],
  );
  return rows[0]?.there === true;
}

function assertKnown(applied: readonly string[]): void {
  const unknown = applied.filter((name) => !migrationNames.includes(name));
  if (unknown.length > 0) {
    throw new ServiceError(
      'configuration.invalid',
      `the database is newer than this program, which does not know ${unknown.join(', ')}: run the newer version`,
    );
  }
}
