import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type Database, openDatabase } from '../../../src/database/database.ts';
import { expectRightAnswers, pendingDeltas } from '../../campaigns/count-model/kept-counts.ts';
import { TestApplication, wrongResponse } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

let application: TestApplication;
let database: Database;

beforeAll(async () => {
  application = await TestApplication.open();
  database = openDatabase({ connection: application.databaseUrl, poolSize: 2 });
});

afterAll(async () => {
  await database.close();
  await application.close();
});

describe('a response, wrong or right', () => {
  it('leaves the counts alone, though it writes the row of its token', async () => {
    await application.enrolPlain('COUNTED', SUITE, { pin: 'pin' });
    expect(await pendingDeltas(database)).toBeGreaterThan(0);
    await database.knex.raw('SELECT fold_counts(1000)');
    const { transactionid, question } = await application.challenge('COUNTED');
    const tan = application.respond(SUITE, question);
    expect(await application.check(transactionid, `pin${wrongResponse(tan)}`)).toEqual({
      failcount: 1,
      result: false,
    });
    expect(await application.check(transactionid, `pin${tan}`)).toEqual({ failcount: 0, result: true });
    expect(await pendingDeltas(database)).toBe(0);
    await expectRightAnswers(database);
  });
});
