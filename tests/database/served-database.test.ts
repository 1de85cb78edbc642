import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../src/database/database.ts';
import { assertServes, migrateToLatest, TABLES } from '../../src/database/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';

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
