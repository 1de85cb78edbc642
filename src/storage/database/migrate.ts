import type { Knex } from 'knex';

import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from './database.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import { migrationNames, migrationSource } from './migration-source.ts';

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

/**
 * Reverts every migration, and with them removes all data.
 * @returns the names of the reverted migrations, in order
 */
export function rollbackAll(database: Database): Promise<readonly string[]> {
  return withSchemaLocked(database, async (sql) => {
    const [, undone] = (await sql.migrate.rollback(CONFIG, true)) as [number, string[]];
    return undone;
  });
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
