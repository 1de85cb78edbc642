import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { valueOf } from '../../support/application/browser.ts';
import { whileHeld, untilWaiting } from '../../support/database/held-statement.ts';
import {
  applicationOfTests,
  OPERATOR,
  type PortalChallenge,
  type TestApplication,
  wrongResponse,
} from '../../support/application/test-application.ts';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { deferred } from '../../support/values/until.ts';
import { SqlTap } from '../../support/database/sql-tap.ts';

const COUNTER = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const NEITHER = 'OCRA-1:HOTP-SHA256-8:QN08';
/** Fills a question. */
const DATA = '12345678';
const SETTLING = /^WITH request AS/;
const AT_ONCE = 16;

const here = applicationOfTests();
/** Another server on the same database. */
let there: TestApplication;
let number = 0;
let serial = '';
let user = '';

beforeAll(async () => {
  there = here.beside();
  await here.addRealm('staff');
  await here.addRealm('bank', ['ann', 'bob']);
  await here.services.settings.set(OPERATOR, new Map([['OcraMaxChallengeRequests', '1000']]));
});
beforeEach(async () => {
  number += 1;
  [serial, user] = [`OPEN${number}`, `user${number}`];
  await here.addUser(user, 'staff');
  await enrol(serial, COUNTER);
});

async function enrol(of: string, suite: string): Promise<void> {
  await here.enrolPlain(of, suite, { user, realm: 'staff' });
  await here.services.tokens.set(OPERATOR, { serial: of }, { maxFail: 1_000 });
}

const respond = ({ question }: PortalChallenge, counter = 0n, suite = COUNTER): string =>
  here.respond(suite, question, { counter });

/** In turn over both servers. */
async function validate(pass: string, index = 0, by: 'serial' | 'user' = 'serial'): Promise<unknown> {
  const server = index % 2 === 0 ? here : there;
  return valueOf(
    await (by === 'serial'
      ? server.send('/validate/check_s', { serial, pass })
      : server.send('/validate/check', { user, realm: 'staff', pass })),
  );
}

async function named({ transactionid }: PortalChallenge, pass: string, index = 0): Promise<unknown> {
  const value = await (index % 2 === 0 ? here : there).check(transactionid, pass);
  return (value as { result: unknown }).result;
}

function atOnce(work: (index: number) => Promise<unknown>): Promise<unknown[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, index) => work(index)));
}

const accepted = (values: readonly unknown[]): number => values.filter((value) => value === true).length;

async function failCount(of = serial): Promise<number> {
  return (await here.services.tokens.show(OPERATOR, of)).failCount;
}

/** The number of right answers to each challenge of the token, in the order in which they were issued. */
async function answered(): Promise<boolean[]> {
  return (await here.status({ serial })).map(({ valid_tan }) => valid_tan).reverse();
}

describe('a response without a transaction id, raced over two servers', () => {
  it('is accepted once, though others name the transaction that it answers', async () => {
    const [, meant] = [await here.challenge(serial), await here.challenge(serial)];
    const pass = respond(meant);
    const ways = [
      (index: number) => validate(pass, index),
      (index: number) => validate(pass, index, 'user'),
      (index: number) => named(meant, pass, index),
    ];
    const reported = await atOnce((index) => ways[index % 3]?.(index) ?? Promise.resolve());
    expect(accepted(reported)).toBe(1);
    expect(await answered()).toEqual([false, true]);
  });

  it('is accepted once of two with the same question, though the suite has no counter', async () => {
    await enrol(serial, NEITHER);
    await here.challenge(serial, DATA);
    const newest = await here.challenge(serial, DATA);
    const pass = respond(newest, 0n, NEITHER);
    expect(accepted(await atOnce((index) => validate(pass, index)))).toBe(1);
    expect(await answered()).toEqual([false, true]);
    expect(await validate(pass)).toBe(false);
  });

  it('counts once each time that it is wrong, wherever it arrives', async () => {
    const [first, second] = [await here.challenge(serial), await here.challenge(serial)];
    const pass = wrongResponse(respond(first));
    await atOnce((index) => validate(pass, index, index % 3 === 0 ? 'user' : 'serial'));
    expect(await failCount()).toBe(AT_ONCE);
    const [newest, older] = await here.status({ serial });
    expect([older?.received_tan, newest?.received_tan]).toEqual([false, true]);
    expect(accepted([await named(second, respond(second)), await named(first, respond(first, 1n))])).toBe(2);
  });
});

describe('between the read of all open challenges and the settlement', () => {
  it('another request gives the same response to the transaction by name: it is wrong then, and counts once', async () => {
    const [older, meant] = [await here.challenge(serial), await here.challenge(serial)];
    const pass = respond(meant);
    let other: unknown;
    const reported = await whileHeld(
      SETTLING,
      () => validate(pass),
      async () => {
        other = await named(meant, pass, 1);
      },
    );
    expect([reported, other]).toEqual([false, true]);
    expect(await failCount()).toBe(1);
    expect(await named(older, respond(older, 1n))).toBe(true);
  });

  it('the challenge is dropped: it is not accepted', async () => {
    await here.services.settings.set(OPERATOR, new Map([['OcraMaxChallenges', '1']]));
    const challenge = await here.challenge(serial);
    const reported = await whileHeld(
      SETTLING,
      () => validate(respond(challenge)),
      () => here.challenge(serial),
    );
    await here.services.settings.set(OPERATOR, new Map([['OcraMaxChallenges', '4']]));
    expect(reported).toBe(false);
    expect(await answered()).toEqual([false, false]);
  });

  it('the token gets another owner: the user has no open challenge any more, and nothing counts', async () => {
    const challenge = await here.challenge(serial);
    const reported = await whileHeld(
      SETTLING,
      () => validate(respond(challenge), 0, 'user'),
      () => there.services.tokens.unassign(OPERATOR, { serial }),
    );
    expect(reported).toBe(false);
    expect([await failCount(), await answered()]).toEqual([0, [false]]);
  });

  it('another token of the user is answered: the decision on this one stays', async () => {
    const other = `${serial}B`;
    await enrol(other, COUNTER);
    const [mine, foreign] = [await here.challenge(serial), await here.challenge(other)];
    let also: unknown;
    const reported = await whileHeld(
      SETTLING,
      () => validate(respond(mine), 0, 'user'),
      async () => {
        also = await named(foreign, respond(foreign), 1);
      },
    );
    expect([reported, also]).toEqual([true, true]);
  });

  it('the token is locked: a right response counts like a wrong one', async () => {
    const challenge = await here.challenge(serial);
    const reported = await whileHeld(
      SETTLING,
      () => validate(respond(challenge)),
      async () => {
        await named(challenge, wrongResponse(respond(challenge)), 1);
        await there.services.tokens.set(OPERATOR, { serial }, { maxFail: 1 });
      },
    );
    expect(reported).toBe(false);
    expect(await failCount()).toBe(2);
  });
});

const PASSWORD = 'correct horse';
const LOCKING = /^select "id", "serial" from "tokens" where "id" in .* for no key update$/;
/** The connections of a test's pool, less that of the second pass. */
const WAITING = 9;

let observer: Database;
afterAll(() => observer.close());
const crowded = applicationOfTests();

beforeAll(async () => {
  observer = openDatabase({ connection: crowded.databaseUrl, applicationName: 'test' });
  await crowded.addRealm('bank', ['ann']);
  const { users, settings: configuration } = crowded.services;
  await users.setPassword(OPERATOR, { resolver: 'bank', login: 'ann', password: PASSWORD });
  await crowded.setPolicy('pin', 'authentication', 'otppin=1', { realm: 'bank' });
  await configuration.set(OPERATOR, new Map([['OcraMaxChallenges', '100']]));
  await crowded.enrolPlain('LOOK', COUNTER, { user: 'ann', realm: 'bank' });
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

it('a second verification of a response with a password ends while others wait for the token on every connection', async () => {
  const { transactionid, question } = await crowded.challenge('LOOK', DATA);
  const pass = PASSWORD + crowded.respond(COUNTER, question);
  // What is remembered is no look.
  crowded.services.issued.forget();
  const second = holdSecondLook();
  const checking = whileHeld(
    SETTLING,
    () => crowded.check(transactionid, pass),
    () => crowded.services.tokens.set(OPERATOR, { serial: 'LOOK' }, { description: 'changed meanwhile' }),
  );
  await second.reached;
  const challenges = Array.from({ length: WAITING }, () => crowded.challenge('LOOK', DATA));
  await untilWaiting(observer, WAITING);
  second.release();
  expect(await checking).toEqual({ failcount: 0, result: true });
  expect(await Promise.all(challenges)).toHaveLength(WAITING);
});

const OTHER_KEY = Buffer.alloc(32, 0xaa);
const right = { failcount: 0, result: true };
const wrong = (failcount: number): object => ({ failcount, result: false });

async function enrolled(): Promise<string> {
  number += 1;
  const serial = `TWICE${number}`;
  await here.enrolPlain(serial, COUNTER);
  return serial;
}

const challenge = async (serial: string): Promise<string> =>
  (await here.challenge(serial, DATA)).transactionid;
const answer = (counter: bigint, key?: Buffer): string =>
  here.respond(COUNTER, DATA, { counter, ...(key !== undefined && { key }) });

it("a token that is enrolled anew does not answer a challenge of the previous key's holder with its new key", async () => {
  const serial = await enrolled();
  const before = await challenge(serial);
  await here.enrolPlain(serial, COUNTER, { otpkey: OTHER_KEY.toString('hex') });
  expect(await here.check(before, answer(0n, OTHER_KEY))).toEqual(wrong(0));
  expect(await here.check(await challenge(serial), answer(0n, OTHER_KEY))).toEqual(right);
});

describe('a token that changes hands', () => {
  it('does not answer a challenge of the previous owner for the new one', async () => {
    const serial = await enrolled();
    const { tokens } = here.services;
    await tokens.assign(OPERATOR, { serial, user: 'ann', realm: 'bank' });
    const context = await challenge(serial);
    await tokens.assign(OPERATOR, { serial, user: 'bob', realm: 'bank' });
    expect(await here.check(context, answer(0n))).toEqual(wrong(0));
    const askedOfBob = await challenge(serial);
    await tokens.unassign(OPERATOR, { serial });
    expect(await here.check(askedOfBob, answer(0n))).toEqual(wrong(0));
  });

  it('still answers when only its settings change', async () => {
    const serial = await enrolled();
    const context = await challenge(serial);
    await here.services.tokens.set(OPERATOR, { serial }, { pin: 'pin', maxFail: 5 });
    await here.services.tokens.disable(OPERATOR, { serial });
    await here.services.tokens.enable(OPERATOR, { serial });
    expect(await here.check(context, `pin${answer(0n)}`)).toEqual(right);
  });
});

it('a counter window that is made wider does not bring back responses that were accepted long ago', async () => {
  const serial = await enrolled();
  expect(await here.check(await challenge(serial), answer(3n))).toEqual(right);
  for (const counter of [12n, 21n, 30n]) {
    expect(await here.check(await challenge(serial), answer(counter))).toEqual(right);
  }
  await here.services.tokens.set(OPERATOR, { serial }, { counterWindow: 100 });
  expect(await here.check(await challenge(serial), answer(3n))).toEqual(wrong(1));
  expect(await here.check(await challenge(serial), answer(12n))).toEqual(wrong(2));
  expect(await here.check(await challenge(serial), answer(29n))).toEqual(right);
});

it('a clock that is set back does not bring back a response that was accepted so long ago that it is forgotten', async () => {
  const suite = 'OCRA-1:HOTP-SHA256-8:QN08-T1M';
  number += 1;
  const serial = `TWICE${number}`;
  await here.enrolPlain(serial, suite);
  const noon = here.clock.now();
  const first = here.respond(suite, DATA);
  expect(await here.check(await challenge(serial), first)).toEqual(right);
  here.clock.advance(3600);
  expect(await here.check(await challenge(serial), here.respond(suite, DATA))).toEqual(right);
  here.clock.set(noon);
  expect(await here.check(await challenge(serial), first)).toEqual(wrong(1));
  here.clock.advance(3660);
  expect(await here.check(await challenge(serial), here.respond(suite, DATA))).toEqual(right);
  here.clock.set(noon);
});

async function resync(parameters: Record<string, string>): Promise<unknown> {
  return valueOf(await here.asAdmin('/admin/resync', parameters));
}

/** Pairs of texts that are one and the same question to a device: RFC 6287 §5.1 makes the same bytes of both. */
describe('one question in two spellings', () => {
  const HEX_SUITE = 'OCRA-1:HOTP-SHA256-8:C-QH08';
  const TIME_SUITE = 'OCRA-1:HOTP-SHA256-8:QN08-T1M';

  it.each([
    [COUNTER, '00000016', '00000001'],
    [COUNTER, '05478395', '87654320'],
    [HEX_SUITE, 'ABCDEF12', 'abcdef12'],
    [TIME_SUITE, '00000256', '00000016'],
  ])('of %s, %s and then %s: the response is accepted once', async (suite, one, other) => {
    number += 1;
    const serial = `TWICE${number}`;
    await here.enrolPlain(serial, suite);
    const first = await here.challenge(serial, one);
    const second = await here.challenge(serial);
    // As an import brings it: a request gets no such question.
    await here.rows(
      `UPDATE challenges SET question = '${other}' WHERE transaction_id = '${second.transactionid}'`,
    );
    const imported = here.restarted();
    const inputs = { counter: 3n };
    const response = here.respond(suite, one, inputs);
    expect(first.question).toBe(one);
    expect(here.respond(suite, other, inputs)).toBe(response);
    expect(await imported.check(first.transactionid, response)).toEqual(right);
    expect(await imported.check(second.transactionid, response)).toEqual(wrong(1));
  });

  it('is not accepted after a resync for which it was spelt shorter', async () => {
    const serial = await enrolled();
    const context = await here.challenge(serial, '00000012');
    const [otp1, otp2] = [5n, 6n].map((counter) => here.respond(COUNTER, '00000012', { counter }));
    const spelt = { challenge1: '12', challenge2: '192', otp1: otp1 ?? '', otp2: otp2 ?? '' };
    expect(await resync({ serial, ...spelt })).toBe(true);
    expect(await here.check(context.transactionid, otp2 ?? '')).toEqual(wrong(1));
  });

  it('is not two responses that follow each other', async () => {
    number += 1;
    const serial = `TWICE${number}`;
    await here.enrolPlain(serial, TIME_SUITE);
    const otp = here.respond(TIME_SUITE, '00000012');
    const spelt = { challenge1: '12', challenge2: '192', otp1: otp, otp2: otp };
    expect(await resync({ serial, ...spelt })).toBe(false);
  });
});
