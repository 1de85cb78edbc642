import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ChallengeOfToken } from '../../src/challenges/challenge.ts';
import { type Installation, openInstallation } from '../../src/compose/open-installation.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { Token } from '../../src/tokens/token.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';
import { tokenValue } from '../support/values/token-values.ts';
import { until } from '../support/values/until.ts';

const ignore = (): void => undefined;
const LOG = { error: ignore, warn: ignore, info: ignore, debug: ignore };
const REVISION = 1n;
const ISSUED = {
  challenge: { transactionId: 'a', question: 'Q', data: '' },
  token: { ...tokenValue('T1'), id: '1' } as unknown as Token,
} as ChallengeOfToken;

const folder = temporaryFolder();
let test: TestDatabase;
let installation: Installation;

beforeAll(async () => {
  test = await createTestDatabase();
  const config = loadConfig({ DATA_DIR: folder, DATABASE_URL: test.url });
  installation = await openInstallation(config, 'server', LOG);
});
afterAll(async () => {
  await installation.close();
  await test.drop();
});

/** @returns the sessions that follow the database, and have looked at it */
async function followers(): Promise<readonly number[]> {
  return test.database
    .knex('pg_stat_activity')
    .where({ application_name: 'tankeeper listener', datname: test.database.knex.raw('current_database()') })
    .whereLike('query', '%AS writable')
    .pluck<number[]>('pid');
}

it('a server that loses the connection that follows its database forgets the challenges that it has issued', async () => {
  const { issued } = installation.services;
  await until(async () => (await followers()).length === 1);
  issued.remember(REVISION, ISSUED);
  expect(issued.take(REVISION, 'a')).toBe(ISSUED);

  issued.remember(REVISION, ISSUED);
  const [before = 0] = await followers();
  await test.database.knex.raw('SELECT pg_terminate_backend(?)', [before]);
  await until(async () => (await followers()).some((pid) => pid !== before));
  expect(issued.take(REVISION, 'a')).toBeUndefined();
});
