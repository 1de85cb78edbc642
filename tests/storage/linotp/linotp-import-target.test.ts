import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SqlImportTarget } from '../../../src/storage/linotp/linotp-import-target.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { ACT } from '../../support/values/token-values.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it('leaves the statistics of tables that have grown as they are after autovacuum', async () => {
  const { database } = test;
  await database.knex.raw('ALTER TABLE users SET (autovacuum_enabled = false)');
  const users = Array.from({ length: 1_000 }, (_, index) => ({
    login: `user${index}`,
    givenName: '',
    surname: '',
    email: '',
    phone: '',
    passwordHash: null,
    userId: String(index),
  }));
  await new SqlImportTarget({ database }).transact(ACT, (target) =>
    target.putResolver({ name: 'staff', kind: 'managed', settings: {}, secret: null, users }),
  );
  const { rows } = await database.knex.raw<{ rows: object[] }>(
    "SELECT reltuples FROM pg_class WHERE oid = 'users'::regclass",
  );
  expect(rows).toEqual([{ reltuples: 1_000 }]);
});
