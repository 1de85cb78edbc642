import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { computeChecksums } from '../../scripts/migration-checksums.ts';
import { packageVersion } from '../../src/kernel/package-version.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import {
  MIGRATION_LOCK,
  migrateToLatest,
  pendingMigrations,
  withNewSchema,
} from '../../src/database/migrate.ts';
import { migrationChecksums } from '../../src/database/migration-checksums.ts';
import { migrationNames, migrationSource } from '../../src/database/migration-source.ts';
import { embeddedFolders } from '../embedded-postgres/support/embedded-folders.ts';
import { becomeNextVersion, NEXT } from '../support/database/next-migration.ts';
import { type TestDatabase, createTestDatabase } from '../support/database/test-database.ts';
import { queryOnce, testServer } from '../support/database/test-server.ts';
import { untilWaiting } from '../support/database/held-statement.ts';
import { until } from '../support/values/until.ts';

const ROOT = join(import.meta.dirname, '../..');

const folders = embeddedFolders();

afterEach(() => folders.clear());

let becomeThisVersion: (() => void) | undefined;
afterEach(() => {
  becomeThisVersion?.();
  becomeThisVersion = undefined;
});

let empty: TestDatabase;
beforeEach(async () => {
  empty = await createTestDatabase({ schema: 'empty' });
});
afterEach(() => empty.drop());

/** @returns every column, constraint, index, function, trigger and comment of the schema, without Knex's own tables */
async function schemaOf({ database }: TestDatabase): Promise<readonly string[]> {
  const { rows } = await database.knex.raw<{ rows: { line: string }[] }>(`
    SELECT format('column %s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) AS line
      FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT format('constraint %s.%s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT format('index %s', indexdef) FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT format('routine %s', pg_get_functiondef(oid))
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT format('trigger %s', pg_get_triggerdef(oid)) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT format('type %s', typname) FROM pg_type WHERE typnamespace = 'public'::regnamespace
    ORDER BY line`);
  return rows.map(({ line }) => line).filter((line) => !line.includes('knex_migrations'));
}

describe('the migrations', () => {
  it('are all those of the folder, in order, under names without a file ending', async () => {
    const files = await readdir(join(ROOT, 'src', 'database', 'migrations'));
    const programs = files.filter((file) => file.endsWith('.ts'));
    expect(migrationNames).toEqual(programs.map((file) => file.replace(/\.ts$/, '')).sort());
    const listed = await migrationSource.getMigrations([]);
    expect(listed.map((migration) => migrationSource.getMigrationName(migration))).toEqual(migrationNames);
  });

  it('are never taken back', async () => {
    for (const listed of await migrationSource.getMigrations([])) {
      const { down } = await migrationSource.getMigration(listed);
      await expect(down?.(empty.database.knex)).rejects.toThrow(
        'No migration is taken back: restore a backup',
      );
    }
  });

  it('are applied once', async () => {
    expect(await pendingMigrations(empty.database)).toEqual(migrationNames);
    await migrateToLatest(empty.database);
    expect(await pendingMigrations(empty.database)).toEqual([]);
    expect(await migrateToLatest(empty.database)).toEqual([]);
  });

  it('are applied by one of several servers that start at once', async () => {
    const servers = [1, 2, 3, 4].map(() => openDatabase({ connection: empty.url }));
    const applied = await Promise.all(servers.map((server) => migrateToLatest(server)));
    await Promise.all(servers.map((server) => server.close()));
    expect(applied.filter((names) => names.length > 0)).toEqual([migrationNames]);
  });

  it('leave nothing when one of them fails, and apply once the cause is gone', async () => {
    await empty.database.knex.raw('CREATE TABLE audit (in_the_way integer)');
    await expect(migrateToLatest(empty.database)).rejects.toThrow('already exists');
    expect(await schemaOf(empty)).toEqual([
      'column audit.in_the_way integer YES ',
      'type _audit',
      'type audit',
    ]);
    expect(await pendingMigrations(empty.database)).toEqual(migrationNames);

    await empty.database.knex.raw('DROP TABLE audit');
    expect(await migrateToLatest(empty.database)).toEqual(migrationNames);
  });

  it('wait, however long, for whoever else changes the schema', async () => {
    const impatient = openDatabase({ connection: empty.url, statementTimeoutMs: 300 });
    const other = openDatabase({ connection: empty.url });
    let done = false;
    const migrated = other.knex.transaction(async (transaction) => {
      await transaction.raw('SELECT pg_advisory_xact_lock(?, ?)', [...MIGRATION_LOCK]);
      const waiting = migrateToLatest(impatient).then((names) => {
        done = true;
        return names;
      });
      await sleep(600);
      expect(done).toBe(false);
      return { waiting };
    });
    expect(await (await migrated).waiting).toEqual(migrationNames);
    await Promise.all([impatient.close(), other.close()]);
  });

  it('have the checksums of their statements, which npm run schema writes', async () => {
    const computed = await computeChecksums(empty.database.knex);
    expect(Object.keys(computed)).toEqual(migrationNames);
    expect(migrationChecksums).toEqual(computed);
    await migrateToLatest(empty.database);
    const noted = await empty.database
      .knex('knex_migration_checksums')
      .orderByRaw('name COLLATE "C"')
      .select<{ name: string; checksum: string; version: string }[]>();
    expect(noted).toEqual(
      migrationNames.map((name) => ({ name, checksum: computed[name], version: packageVersion() })),
    );
  });
});

describe('the migration of a database that is in use', () => {
  beforeEach(async () => {
    await migrateToLatest(empty.database);
    becomeThisVersion = becomeNextVersion();
  });

  it('is not kept off by the lock that a killed command left behind', async () => {
    await empty.database.knex('knex_migrations_lock').update({ is_locked: 1 });
    expect(await migrateToLatest(empty.database)).toEqual([NEXT]);
  });

  it('holds no lock that others wait for longer than 200 ms, is tried again, and tells for whom it waits', async () => {
    const other = openDatabase({ connection: empty.url, applicationName: 'migrator' });
    const attempts = new Set<string>();
    const lines: object[] = [];
    const add = (message: string, fields?: object): void => void lines.push({ message, ...fields });
    const log = { debug: add, info: add, warn: add, error: add };
    const waiting = async (): Promise<boolean> => {
      const { rows } = await empty.database.knex.raw<{ rows: { begun: string }[] }>(
        `SELECT xact_start::text AS begun FROM pg_stat_activity
         WHERE application_name = 'migrator' AND wait_event_type = 'Lock'`,
      );
      rows.forEach(({ begun }) => attempts.add(begun));
      return attempts.size >= 2 && lines.length > 0;
    };
    const migrated = await empty.database.knex
      .transaction(async (holder) => {
        await holder.raw('LOCK TABLE users, tokens, challenges, administrators IN ROW EXCLUSIVE MODE');
        const work = migrateToLatest(other, log);
        await until(waiting);
        await holder.rollback();
        return { work };
      })
      .catch(() => undefined);
    expect(migrated).toBeUndefined();
    expect(lines[0]).toEqual({
      message: 'The migration waits for others who use the tables',
      component: 'database',
      attempts: 1,
      faultDetail: expect.stringMatching(/^process \d+ \(test\)$/),
    });
    await until(async () => (await pendingMigrations(empty.database)).length === 0);
    await other.close();
  });

  it('holds no table that a request may want which has begun with tokens', async () => {
    const other = openDatabase({ connection: empty.url });
    const work = await empty.database.knex.transaction(async (request) => {
      await request.raw('LOCK TABLE tokens IN ROW EXCLUSIVE MODE');
      const migrating = migrateToLatest(other);
      await untilWaiting(empty.database);
      const { rows } = await request.raw<{ rows: { names: string }[] }>(
        "SELECT string_agg(tablename, ', ') AS names FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'knex%'",
      );
      await request.raw(`LOCK TABLE ${rows[0]?.names ?? ''} IN ROW EXCLUSIVE MODE NOWAIT`);
      return { migrating };
    });
    expect(await work.migrating).toEqual([NEXT]);
    await other.close();
  });
});

describe('a migration that waits', () => {
  it('ends when it is given up, and has changed nothing', async () => {
    const other = openDatabase({ connection: empty.url });
    const stop = new AbortController();
    await empty.database.knex
      .transaction(async (holder) => {
        await holder.raw('CREATE TABLE realms (in_the_way integer)');
        const work = migrateToLatest(other, undefined, stop.signal);
        setTimeout(() => {
          stop.abort(new Error('given up'));
        }, 500);
        await expect(work).rejects.toThrow('given up');
        await holder.rollback();
      })
      .catch(() => undefined);
    expect(stop.signal.aborted).toBe(true);
    expect(await schemaOf(empty)).toEqual([]);
    await other.close();
  });
});

describe('a database of another program', () => {
  const here = `this is tankeeper ${packageVersion()}`;

  it.each([
    [
      'a newer one',
      `INSERT INTO knex_migrations (name, batch) VALUES ('${NEXT}', 2), ('999-wings', 3);
       INSERT INTO knex_migration_checksums VALUES ('${NEXT}', 'f00d', '9.9.8'), ('999-wings', 'f00d', '9.9.9')`,
      `the database is newer than this program: tankeeper 9.9.9 has applied 999-wings, and ${here}, which does not know that: run the newer version`,
    ],
    [
      'one with another form of a migration',
      "UPDATE knex_migration_checksums SET checksum = 'f00d', version = '0.0.9' WHERE name = '001-baseline'",
      `tankeeper 0.0.9 has applied 001-baseline in another form than that of this program; ${here}: run the version that made the database, or use a new one`,
    ],
    [
      'one that noted no checksums',
      'DROP TABLE knex_migration_checksums',
      `tankeeper of an unknown version has applied 001-baseline in another form than that of this program; ${here}: run the version that made the database, or use a new one`,
    ],
    [
      'one from before the baseline',
      `UPDATE knex_migrations SET name = '001-realms' WHERE name = '001-baseline';
       UPDATE knex_migration_checksums SET name = '001-realms' WHERE name = '001-baseline';
       INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('${NEXT}', 2, now())`,
      `the database lacks 001-baseline, and tankeeper ${packageVersion()} has applied 001-realms; ${here}: run the version that made it`,
    ],
  ])('is refused before anything is changed: %s', async (_which, change, message) => {
    await migrateToLatest(empty.database);
    await empty.database.knex.raw(change);
    becomeThisVersion = becomeNextVersion();
    const before = await schemaOf(empty);
    const refusal = { code: 'configuration.invalid', message };
    await expect(migrateToLatest(empty.database)).rejects.toMatchObject(refusal);
    await expect(pendingMigrations(empty.database)).rejects.toMatchObject(refusal);
    const nothing = (): Promise<void> => Promise.resolve();
    const steps = { before: nothing, load: nothing, after: nothing };
    await expect(withNewSchema(empty.database, migrationNames, steps)).rejects.toMatchObject(refusal);
    expect(await schemaOf(empty)).toEqual(before);
  });
});

describe('an installation in another schema', () => {
  const at = (options?: string): Database => {
    const url = new URL(empty.url);
    if (options !== undefined) {
      url.searchParams.set('options', options);
    }
    return openDatabase({ connection: url.href });
  };

  it('that the role chose is not taken for a missing one: the refusal names the remedy, which works', async () => {
    await empty.database.knex.raw('CREATE SCHEMA tk');
    const before = at('-c search_path=tk');
    await migrateToLatest(before);
    await before.close();
    await empty.database.knex.raw(
      `ALTER DATABASE "${new URL(empty.url).pathname.slice(1)}" SET search_path = tk`,
    );
    const database = at();
    const refusal = await migrateToLatest(database).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'configuration.invalid' });
    await expect(pendingMigrations(database)).rejects.toThrow('in another schema: tk');
    expect((await schemaOf(empty)).filter((line) => !line.includes(' tk.'))).toEqual([]);
    await database.close();
    const [, remedy = ''] = /\?options=([^)]*)\)/.exec((refusal as Error).message) ?? [];
    const found = at(decodeURIComponent(remedy));
    expect(await pendingMigrations(found)).toEqual([]);
    await found.close();
  });

  it('lets one be made in a schema that DATABASE_URL names, and tables of other programs are none', async () => {
    await empty.database.knex.raw(
      'CREATE SCHEMA one; CREATE SCHEMA two; CREATE TABLE one.knex_migrations (id int)',
    );
    expect(await migrateToLatest(empty.database)).toEqual(migrationNames);
    const second = at('-c search_path=two');
    expect(await migrateToLatest(second)).toEqual(migrationNames);
    await second.close();
  });
});

describe('a role that may make no tables', () => {
  const role = `keeper_${randomBytes(6).toString('hex')}`;
  beforeAll(() => queryOnce(testServer().url, `CREATE ROLE ${role}`));
  afterAll(() => queryOnce(testServer().url, `DROP ROLE ${role}`));

  async function refusalFor(options: string): Promise<string> {
    const url = new URL(empty.url);
    url.searchParams.set('options', options);
    const database = openDatabase({ connection: url.href });
    const fault: unknown = await migrateToLatest(database).catch((error: unknown) => error);
    await database.close();
    expect(fault).toMatchObject({ code: 'configuration.invalid' });
    return (fault as Error).message;
  }

  it('in the schema public, as from PostgreSQL 15 on, is told the remedy, which works', async () => {
    const base = new URL(empty.url).pathname.slice(1);
    await empty.database.knex.raw('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    const told = await refusalFor(`-c role=${role}`);
    expect(told).toContain(
      `the role ${role} may make no tables in the schema public of the database ${base}`,
    );
    const [, remedy] = /; or: (.*)$/.exec(told) ?? [];
    expect(remedy).toBe(`GRANT USAGE, CREATE ON SCHEMA public TO ${role}`);
    await empty.database.knex.raw(remedy ?? '');
    const url = new URL(empty.url);
    url.searchParams.set('options', `-c role=${role}`);
    const database = openDatabase({ connection: url.href });
    expect(await migrateToLatest(database)).toEqual(migrationNames);
    await database.close();
    await empty.database.knex.raw(`DROP OWNED BY ${role}`);
  });

  it('as it has no schema at all is told so', async () => {
    await empty.database.knex.raw('DROP SCHEMA public');
    expect(await refusalFor('')).toMatch(/has no schema in the database .*CREATE SCHEMA/);
  });
});
