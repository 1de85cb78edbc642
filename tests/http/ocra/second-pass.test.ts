import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { deferred } from '../../support/values/deferred.ts';
import { whileHeld } from '../../support/database/held-statement.ts';
import { untilWaiting } from '../../support/database/lock-waits.ts';
import { SqlTap } from '../../support/database/sql-tap.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const DATA = '12345678';
const PASSWORD = 'correct horse';
const SETTLING = /^WITH request AS/;
const LOCKING = /^select "id", "serial" from "tokens" where "id" in .* for no key update$/;
/** The connections of a test's pool, less that of the second pass. */
const WAITING = 9;

let application: TestApplication;
let observer: Database;

beforeAll(async () => {
  application = await TestApplication.open();
  observer = openDatabase({ connection: application.databaseUrl, applicationName: 'test' });
  await application.addRealm('bank', ['ann']);
  const { users, policies, settings: configuration } = application.services;
  await users.setPassword(OPERATOR, { resolver: 'bank', login: 'ann', password: PASSWORD });
  await policies.set(OPERATOR, {
    name: 'pin',
    scope: 'authentication',
    action: 'otppin=1',
    realm: 'bank',
  });
  await configuration.set(OPERATOR, new Map([['OcraMaxChallenges', '100']]));
  await application.enrolPlain('LOOK', SUITE, { user: 'ann', realm: 'bank' });
});
afterAll(async () => {
  await observer.close();
  await application.close();
});

/** Holds a second pass between its lock of the token and its read. */
function holdSecondLook(): { readonly reached: Promise<unknown>; readonly release: () => void } {
  const reached = deferred<undefined>();
  const released = deferred<undefined>();
  let isLocked = false;
  let isHeld = false;
  const tap = new SqlTap({
    hold: (text) => {
      if (!isLocked || isHeld) {
        isLocked ||= LOCKING.test(text);
        return undefined;
      }
      isHeld = true;
      reached.resolve(undefined);
      return released.promise;
    },
  });
  return {
    reached: reached.promise,
    release: () => {
      tap.close();
      released.resolve(undefined);
    },
  };
}

describe('a second verification of a response with a password', () => {
  it('ends while others wait for the token on every connection', async () => {
    const { transactionid, question } = await application.challenge('LOOK', DATA);
    const pass = PASSWORD + application.respond(SUITE, question);
    const second = holdSecondLook();
    const checking = whileHeld(
      SETTLING,
      () => application.check(transactionid, pass),
      () =>
        application.services.tokens.set(OPERATOR, { serial: 'LOOK' }, { description: 'changed meanwhile' }),
    );
    await second.reached;
    const challenges = Array.from({ length: WAITING }, () => application.challenge('LOOK', DATA));
    await untilWaiting(observer, WAITING);
    second.release();
    expect(await checking).toEqual({ failcount: 0, result: true });
    expect(await Promise.all(challenges)).toHaveLength(WAITING);
  });
});
