import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SqlTokenLoading } from '../../../src/storage/tokens/token-loading.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it('finds the serials that are in use, whatever their case', async () => {
  await test.database.knex.raw(
    "INSERT INTO tokens (serial, type, active, realm_set_id) SELECT 'Qr1', 'ocra', true, intern_realm_set('{}')",
  );
  const loading = new SqlTokenLoading({ database: test.database });
  expect(await loading.taken(['QR1', 'QR2'])).toEqual(new Set(['qr1']));
  expect(await loading.taken([])).toEqual(new Set());
});
