import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { TABLES, assertServes, migrateToLatest } from '../../src/database/migrate.ts';
import type { PreparedStatement } from '../../src/database/prepared-statements.ts';
import { type TestDatabase, createTestDatabase, databaseOfTests } from '../support/database/test-database.ts';

describe('a database that is served', () => {
  let empty: TestDatabase;
  beforeEach(async () => {
    empty = await createTestDatabase({ schema: 'empty' });
  });
  afterEach(() => empty.drop());

  describe('a database that serves requests', () => {
    beforeEach(async () => {
      await migrateToLatest(empty.database);
      await empty.database.knex('administrators').insert({ name: 'admin', password_hash: 'none' });
    });

    it('is that of this program, or a newer one', async () => {
      await assertServes(empty.database);
      await empty.database.knex.raw(
        `INSERT INTO knex_migrations (name, batch) VALUES ('999-future', 2);
       INSERT INTO knex_migration_checksums VALUES ('999-future', 'f00d', '9.9.9')`,
      );
      await assertServes(empty.database);
    });

    it.each([
      ['an older one', "DELETE FROM knex_migrations WHERE name = '001-baseline'", 'migration 001-baseline'],
      [
        'one of another form',
        "UPDATE knex_migration_checksums SET checksum = 'f00d' WHERE name = '001-baseline'",
        'migration 001-baseline',
      ],
      ['one without a table', 'ALTER TABLE webhook_health RENAME TO gone', 'table webhook_health'],
      [
        'one without rows',
        'TRUNCATE count_state, administrators CASCADE',
        'rows of count_state, rows of administrators',
      ],
    ])('is not %s', async (_which, change, lack) => {
      await empty.database.knex.raw(change);
      await expect(assertServes(empty.database)).rejects.toThrow(`the database cannot serve: ${lack}`);
    });

    it('is not one whose tables are of another role, nor one that takes no writes', async () => {
      const role = `reader_${randomBytes(6).toString('hex')}`;
      await empty.database.knex.raw(
        `CREATE ROLE ${role}; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO ${role};
       REVOKE UPDATE ON audit, tokens FROM ${role}; REVOKE INSERT ON sessions FROM ${role}`,
      );
      for (const [setting, lack] of [
        [`role=${role}`, 'rights on tokens, rights on sessions'],
        ['default_transaction_read_only=on', 'it takes no writes'],
      ]) {
        const url = new URL(empty.url);
        url.searchParams.set('options', `-c ${setting}`);
        const database = openDatabase({ connection: url.href });
        await expect(assertServes(database)).rejects.toThrow(`the database cannot serve: ${lack}`);
        await database.close();
      }
      await empty.database.knex.raw(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    });

    it('has the tables that the program knows', async () => {
      const { rows } = await empty.database.knex.raw<{ rows: { name: string }[] }>(
        `SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
         AND NOT relispartition AND relname NOT LIKE 'knex%'`,
      );
      expect(rows.map(({ name }) => name).sort()).toEqual([...TABLES].sort());
    });
  });
});

describe('prepared statements', () => {
  const test = databaseOfTests();
  let database: Database | undefined;

  beforeAll(async () => {
    await test.database.knex.raw(
      'CREATE TABLE numbers (id bigint, note text); INSERT INTO numbers VALUES (7)',
    );
  });
  afterEach(() => database?.close());

  /** A pool of one connection, so that statements meet on it. */
  function opened(keepsStatements?: boolean): Database {
    database = openDatabase({ connection: test.url, poolSize: 1, applicationName: 'test', keepsStatements });
    return database;
  }

  const NUMBERS: PreparedStatement<{ readonly id: string; readonly name: string | null }> = {
    name: 'numbers',
    text: 'SELECT numbers.*, (SELECT max(name) FROM pg_prepared_statements) AS name FROM numbers WHERE id = $1',
  };
  const ONE_ROW = [{ id: '7', note: null }];

  async function prepared({ knex }: Database): Promise<readonly string[]> {
    const { rows } = await knex.raw<{ rows: { name: string }[] }>('SELECT name FROM pg_prepared_statements');
    return rows.map(({ name }) => name);
  }

  describe('a statement of the hot path', () => {
    it('is kept by its connection under its name', async () => {
      const pool = opened();
      expect(await pool.prepared.run(NUMBERS, [7])).toMatchObject(ONE_ROW);
      expect(await pool.prepared.run(NUMBERS, [8])).toEqual([]);
      expect(await prepared(pool)).toEqual(['numbers']);
    });

    it('is not kept where connections change between statements', async () => {
      const pool = opened(false);
      expect(await pool.prepared.run(NUMBERS, [7])).toMatchObject(ONE_ROW);
      expect(await pool.prepared.run(NUMBERS, [7])).toMatchObject(ONE_ROW);
      expect(await prepared(pool)).toEqual([]);
    });

    it('runs on a connection that has lost it', async () => {
      const pool = opened();
      await pool.prepared.run(NUMBERS, [7]);
      await pool.knex.raw('DEALLOCATE ALL');
      expect(await pool.prepared.run(NUMBERS, [7])).toMatchObject(ONE_ROW);
      expect(await pool.prepared.run(NUMBERS, [7])).toMatchObject(ONE_ROW);
    });

    it('runs on a connection that has it from another client', async () => {
      const pool = opened();
      await pool.knex.raw('PREPARE numbers AS SELECT 1');
      expect(await pool.prepared.run(NUMBERS, [7])).toMatchObject(ONE_ROW);
      expect(await pool.prepared.run(NUMBERS, [7])).toMatchObject(ONE_ROW);
    });

    it('runs after a change of the table that changes its result', async () => {
      const pool = opened();
      await pool.prepared.run(NUMBERS, [7]);
      await test.database.knex.raw('ALTER TABLE numbers ADD COLUMN more integer DEFAULT 3');
      expect(await pool.prepared.run(NUMBERS, [7])).toMatchObject([{ id: '7', more: 3 }]);
      expect(await pool.prepared.run(NUMBERS, [7])).toMatchObject([{ id: '7', more: 3 }]);
      await test.database.knex.raw('ALTER TABLE numbers DROP COLUMN more');
    });

    it('fails with the error of PostgreSQL, and leaves the connection as it was', async () => {
      const pool = opened();
      await expect(pool.prepared.run(NUMBERS, ['no number'])).rejects.toMatchObject({ code: '22P02' });
      expect(await pool.prepared.run(NUMBERS, [7])).toMatchObject(ONE_ROW);
    });

    it('runs once only where it fails by itself', async () => {
      const pool = opened();
      await test.database.knex.raw('CREATE SEQUENCE runs');
      const failing = { name: 'failing', text: "SELECT 1 / (nextval('runs') * 0 + $1::integer)" };
      await expect(pool.prepared.run(failing, [0])).rejects.toMatchObject({ code: '22012' });
      const { rows } = await test.database.knex.raw<{ rows: unknown[] }>('SELECT last_value FROM runs');
      expect(rows).toEqual([{ last_value: '1' }]);
    });
  });
});
