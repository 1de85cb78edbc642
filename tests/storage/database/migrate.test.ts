import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { dumpSchema } from '../../../scripts/schema-dump.ts';
import { openDatabase } from '../../../src/storage/database/database.ts';
import {
  MIGRATION_LOCK,
  migrateToLatest,
  pendingMigrations,
  rebuildSchema,
} from '../../../src/storage/database/migrate.ts';
import { migrationNames, migrationSource } from '../../../src/storage/database/migration-source.ts';
import { embeddedFolders, isServed } from '../../embedded-postgres/support/embedded-folders.ts';
import { rollBackAll } from '../../support/database/roll-back-all.ts';
import type { TestDatabase } from '../../support/database/test-database.ts';
import { createTestDatabase } from '../../support/database/test-database.ts';

const ROOT = join(import.meta.dirname, '../../..');

const folders = embeddedFolders();
afterEach(() => folders.clear());

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

/** Runs Knex's command line, as \`npm run knex\` does. */
async function knexCommand(
  env: Readonly<Record<string, string>>,
  ...parameters: readonly string[]
): Promise<{ status: number | null; output: string }> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'node_modules/knex/bin/cli.js', '--knexfile', 'knexfile.ts', ...parameters],
    {
      cwd: ROOT,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output };
}

describe('the migrations', () => {
  it('are all those of the folder, in order, under names without a file ending', async () => {
    const files = await readdir(join(ROOT, 'src', 'storage', 'database', 'migrations'));
    expect(migrationNames).toEqual(files.map((file) => file.replace(/\.ts$/, '')).sort());
    const listed = await migrationSource.getMigrations([]);
    expect(listed.map((migration) => migrationSource.getMigrationName(migration))).toEqual(migrationNames);
  });

  it('lead up, all the way down, and up again to the same schema', async () => {
    expect(await migrateToLatest(empty.database)).toEqual(migrationNames);
    const schema = await schemaOf(empty);
    expect(schema.length).toBeGreaterThan(50);
    const dump = await dumpSchema(empty.database.knex);

    expect(await rollBackAll(empty.database)).toEqual([...migrationNames].reverse());
    expect(await schemaOf(empty)).toEqual([]);

    await migrateToLatest(empty.database);
    expect(await schemaOf(empty)).toEqual(schema);
    expect(await dumpSchema(empty.database.knex)).toBe(dump);
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

  it('are not kept off by the lock that a killed command left behind', async () => {
    await migrateToLatest(empty.database);
    await rollBackAll(empty.database);
    await empty.database.knex('knex_migrations_lock').update({ is_locked: 1 });
    expect(await migrateToLatest(empty.database)).toEqual(migrationNames);
  });

  it('wait, however long, for whoever else changes the schema', async () => {
    const impatient = openDatabase({ connection: empty.url, statementTimeoutMs: 1_000 });
    const other = openDatabase({ connection: empty.url });
    let done = false;
    const migrated = other.knex.transaction(async (transaction) => {
      await transaction.raw('SELECT pg_advisory_xact_lock(?, ?)', [...MIGRATION_LOCK]);
      const waiting = migrateToLatest(impatient).then((names) => {
        done = true;
        return names;
      });
      await sleep(2_000);
      expect(done).toBe(false);
      return { waiting };
    });
    expect(await (await migrated).waiting).toEqual(migrationNames);
    await Promise.all([impatient.close(), other.close()]);
  });

  it('refuse a database that a newer version has migrated, and leave it as it is', async () => {
    await migrateToLatest(empty.database);
    await empty.database.knex('knex_migrations').insert({ name: '20991231-01-future', batch: 2 });
    const refusal = {
      code: 'configuration.invalid',
      message:
        'the database is newer than this program, which does not know 20991231-01-future: run the newer version',
    };
    await expect(migrateToLatest(empty.database)).rejects.toMatchObject(refusal);
    await expect(pendingMigrations(empty.database)).rejects.toMatchObject(refusal);
    const nothing = (): Promise<void> => Promise.resolve();
    const steps = { before: nothing, load: nothing, after: nothing };
    await expect(rebuildSchema(empty.database, migrationNames, steps)).rejects.toMatchObject(refusal);
    expect((await schemaOf(empty)).length).toBeGreaterThan(50);
  });
});

describe('the knex command', () => {
  it('migrates the database of DATABASE_URL, under the names that the server uses', async () => {
    const env = { DATABASE_URL: empty.url };
    expect(await knexCommand(env, 'migrate:latest')).toMatchObject({ status: 0 });
    expect(await pendingMigrations(empty.database)).toEqual([]);
    expect((await knexCommand(env, 'migrate:list')).output).toContain(migrationNames.at(-1));
    expect(await knexCommand(env, 'migrate:rollback', '--all')).toMatchObject({ status: 0 });
    expect(await pendingMigrations(empty.database)).toEqual(migrationNames);
  });

  it('makes no embedded database when it only looks', async () => {
    const dataDir = join(await folders.make(), 'data');
    expect((await knexCommand({ DATA_DIR: dataDir }, 'migrate:status')).status).toBe(1);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('migrates the embedded database of DATA_DIR where there is no DATABASE_URL, and leaves it stopped', async () => {
    const dataDir = join(await folders.make(), 'data');
    expect(await knexCommand({ DATA_DIR: dataDir }, 'migrate:latest')).toMatchObject({ status: 0 });
    while (await isServed(join(dataDir, 'postgres'))) {
      await sleep(20);
    }
    const embedded = await folders.open({ dataDir });
    const database = openDatabase({ connection: embedded.connection });
    expect(await pendingMigrations(database)).toEqual([]);
    await database.close();
  });
});
