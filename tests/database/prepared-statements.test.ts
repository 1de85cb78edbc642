import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { type Database, openDatabase } from '../../src/database/database.ts';
import type { PreparedStatement } from '../../src/database/prepared-statements.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';

let test: TestDatabase;
let database: Database | undefined;

beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.knex.raw('CREATE TABLE numbers (id bigint, note text); INSERT INTO numbers VALUES (7)');
});
afterEach(() => database?.close());
afterAll(() => test.drop());

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
