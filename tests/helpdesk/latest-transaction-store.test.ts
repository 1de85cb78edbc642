import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LatestTransactionStore } from '../../src/helpdesk/helpdesk-store.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { OPERATOR, TestApplication } from '../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

let application: TestApplication;
let database: Database;

beforeAll(async () => {
  application = await TestApplication.open();
  database = openDatabase({ connection: application.databaseUrl, applicationName: 'test' });
  await application.addRealm('north', ['bert']);
  await application.addRealm('south', ['cleo']);
});
afterAll(async () => {
  await database.close();
  await application.close();
});

describe('the latest transactions of tokens', () => {
  it('are older ones for a caller in whose realms the newest were not', async () => {
    await application.enrolPlain('STAYED', SUITE, { user: 'bert', realm: 'north' });
    await application.enrolPlain('CAME', SUITE, { user: 'cleo', realm: 'south' });
    const { transactionid: older } = await application.challenge('STAYED', '12345678');
    application.clock.advance(1);
    const { transactionid: newer } = await application.challenge('CAME', '12345678');
    await application.services.tokens.setRealms(OPERATOR, { serial: 'CAME', realms: ['north'] });
    const ids = await database.knex('tokens').pluck<string[]>('id');
    const latest = new LatestTransactionStore({ database });
    const shown = async (realms?: readonly string[]): Promise<readonly string[]> =>
      (await latest.ofTokens(ids, 1, realms)).map(({ transactionId }) => transactionId);
    expect(await shown()).toEqual([newer]);
    expect(await shown(['north'])).toEqual([older]);
    expect(await shown(['elsewhere'])).toEqual([]);
  });
});
