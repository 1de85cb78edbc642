import { TokenStore } from '../../src/tokens/token-store.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { renewStatistics } from '../../src/database/database.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it('finds the serials that are in use, whatever their case', async () => {
  await test.database.knex.raw(
    "INSERT INTO tokens (serial, type, active, realm_set_id) SELECT 'Qr1', 'ocra', true, intern_realm_set('{}')",
  );
  const loading = new TokenStore({ database: test.database });
  expect(await loading.existingSerials(['QR1', 'QR2'])).toEqual(new Set(['qr1']));
  expect(await loading.existingSerials([])).toEqual(new Set());
});

describe('the statistics of the tokens', () => {
  const known = async (): Promise<number | undefined> => {
    const { rows } = await test.database.knex.raw<{ rows: { reltuples: number }[] }>(
      "SELECT reltuples FROM pg_class WHERE oid = 'tokens'::regclass",
    );
    return rows[0]?.reltuples;
  };

  it('are those of the rows after many were loaded, without a wait for autovacuum', async () => {
    const { knex } = test.database;
    await knex.raw('ALTER TABLE tokens SET (autovacuum_enabled = false)');
    const loading = new TokenStore({ database: test.database });
    const load = (name: string, number: number): Promise<void> =>
      loading.insertAll(
        Array.from({ length: number }, (_, index) => tokenValue(`${name}${index}`)),
        ACT,
      );
    const before = await known();
    await load('FEW', 20);
    expect(await known()).toBe(before);
    await load('MANY', 1_000);
    expect(await known()).toBeGreaterThanOrEqual(1_020);
  });

  it('are left to autovacuum where they cannot be renewed', async () => {
    const { knex } = test.database;
    const before = await known();
    await knex.transaction(async (transaction) => {
      await transaction.raw('LOCK TABLE tokens IN SHARE UPDATE EXCLUSIVE MODE');
      await renewStatistics(test.database, ['tokens']);
    });
    await knex.raw('ALTER TABLE tokens RENAME TO renamed');
    await renewStatistics(test.database, ['tokens']);
    await knex.raw('ALTER TABLE renamed RENAME TO tokens');
    expect(await known()).toBe(before);
  });
});
