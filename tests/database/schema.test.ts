import { describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';

import { dumpSchema } from '../../scripts/schema-dump.ts';
import { readRepositoryFile } from '../repository/repository-file.ts';
import { createTestDatabase, databaseOfTests } from '../support/database/test-database.ts';

const test = databaseOfTests();

async function select(knex: Knex, sql: string): Promise<Record<string, string>[]> {
  return (await knex.raw<{ rows: Record<string, string>[] }>(sql)).rows;
}

describe('docs/schema.sql', () => {
  const written = readRepositoryFile('docs/schema.sql');

  it('is the schema that the migrations make (npm run schema)', async () => {
    expect(await dumpSchema(test.database.knex)).toBe(written);
  });

  it('makes the same schema in an empty database', async () => {
    const empty = await createTestDatabase({ schema: 'empty' });
    try {
      await empty.database.knex.raw(written);
      expect(await dumpSchema(empty.database.knex)).toBe(written);
    } finally {
      await empty.drop();
    }
  });

  it.each([
    'CREATE VIEW v AS SELECT 1 AS x',
    "CREATE TYPE e AS ENUM ('x')",
    "CREATE PROCEDURE p() LANGUAGE sql AS ''",
    'CREATE POLICY p ON realms',
  ])('is not written of what it could not show: %s', async (sql) => {
    const transaction = await test.database.knex.transaction();
    await transaction.raw(sql);
    await expect(dumpSchema(transaction)).rejects.toThrow('does not know how to write');
    await transaction.rollback();
  });
});

describe('the schema', () => {
  it('has an index for every foreign key', async () => {
    const unindexed = await select(
      test.database.knex,
      `SELECT conname FROM pg_constraint
       WHERE contype = 'f' AND NOT EXISTS (
         SELECT FROM pg_index WHERE indrelid = conrelid AND indpred IS NULL
           AND (indkey::int2[])[0:cardinality(conkey) - 1] @> conkey)`,
    );
    expect(unindexed).toEqual([]);
  });

  it('names every constraint itself, with the name of its table in front', async () => {
    const constraints = await select(
      test.database.knex,
      `SELECT conrelid::regclass::text AS of, conname AS name, contype AS type FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace AND conrelid <> 0 AND contype <> 'n'
         AND conrelid::regclass::text NOT LIKE 'knex_%'`,
    );
    expect(constraints.length).toBeGreaterThan(40);
    for (const { of = '', name = '' } of constraints) {
      expect(name.startsWith(`${of}_`)).toBe(true);
      // What PostgreSQL would have called it.
      expect(name).not.toMatch(/_check\d*$|_id_fkey$/);
    }
  });

  it('uses text and timestamptz, never their limited relatives', async () => {
    const columns = await select(
      test.database.knex,
      `SELECT table_name, column_name, data_type FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name NOT LIKE 'knex_%'`,
    );
    expect(columns.length).toBeGreaterThan(80);
    const limited = columns.filter(({ data_type = '' }) =>
      ['character varying', 'character', 'timestamp without time zone', 'json'].includes(data_type),
    );
    expect(limited).toEqual([]);
  });

  it.each([
    ['a fail counter below 0', 'UPDATE tokens SET fail_count = -1'],
    ['a counter below 0', 'UPDATE tokens SET counter = -1'],
    ['half an owner', "UPDATE tokens SET owner_login = 'ann'"],
    ['an accepted challenge that is open', 'UPDATE challenges SET received_tan = true, valid_tan = true'],
    ['an unknown way of closing', "UPDATE challenges SET closed_by = 'magic', closed_at = now()"],
    ['a closed challenge without a time', "UPDATE challenges SET closed_by = 'exhausted'"],
    [
      'a valid response that was not received',
      "UPDATE challenges SET valid_tan = true, closed_by = 'accepted', closed_at = now()",
    ],
    ['a realm in capitals', "INSERT INTO realms (name) VALUES ('North')"],
    ['two default realms', "INSERT INTO realms (name, is_default) VALUES ('a', true), ('b', true)"],
    ['an unsorted set of realms', "INSERT INTO realm_sets (realm_ids) VALUES ('{2,1}')"],
    ['a set with a realm twice', "INSERT INTO realm_sets (realm_ids) VALUES ('{1,1}')"],
    ['a second state of the configuration', 'INSERT INTO configuration_state VALUES (false, 1, now())'],
    ['a policy of an unknown scope', "UPDATE policies SET scope = 'magic'"],
  ])('refuses %s', async (_, sql) => {
    const attempt = test.database.knex.transaction(async (transaction) => {
      await transaction.raw(`
        INSERT INTO tokens (serial, type, active, realm_set_id) VALUES ('T', 'ocra', true, 1);
        INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, open_until)
        SELECT 'X', id, 'Q', '', now(), now() FROM tokens`);
      await transaction.raw(sql);
    });
    await expect(attempt).rejects.toMatchObject({ code: expect.stringMatching(/^23/) });
  });
});
