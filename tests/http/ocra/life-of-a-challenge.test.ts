import { describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../../src/database/database.ts';
import { applicationOfTests, OPERATOR, wrongResponse } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const right = (failcount: number): object => ({ failcount, result: true });
const wrong = (failcount: number): object => ({ failcount, result: false });

const application = applicationOfTests();
let number = 0;

/** A token of its own for each test, with the PIN `pin`. */
async function enrol(suite = SUITE, more: Record<string, string> = {}): Promise<string> {
  number += 1;
  const serial = `LIFE${number}`;
  await application.enrolPlain(serial, suite, { pin: 'pin', ...more });
  return serial;
}

/** A token with an open challenge, and the passes that answer it. */
async function opened(
  suite = SUITE,
): Promise<{ serial: string; transactionid: string; right: string; wrong: string }> {
  const serial = await enrol(suite);
  const { transactionid, question } = await application.challenge(serial);
  const tan = application.respond(suite, question);
  return { serial, transactionid, right: `pin${tan}`, wrong: `pin${wrongResponse(tan)}` };
}

async function flags(transactionid: string): Promise<unknown> {
  const [entry] = await application.status({ transactionid });
  return entry && [entry.received_tan, entry.valid_tan, entry.failcount];
}

describe('issued', () => {
  it('is open: no response received, none valid, the fail counter as it was', async () => {
    const { transactionid } = await opened();
    expect(transactionid).toMatch(/^[0-9a-f]{20}$/);
    expect(await flags(transactionid)).toEqual([false, false, 0]);
  });

  it('closes the oldest open one beyond OcraMaxChallenges (4), and only that', async () => {
    const serial = await enrol();
    const challenges = [];
    for (let count = 0; count < 5; count += 1) {
      challenges.push(await application.challenge(serial));
    }
    const [first, second] = challenges;
    const answer = (question = ''): string => `pin${application.respond(SUITE, question)}`;
    expect(await application.check(first?.transactionid ?? '', answer(first?.question))).toEqual(wrong(0));
    expect(await flags(first?.transactionid ?? '')).toEqual([false, false, 0]);
    expect(await application.check(second?.transactionid ?? '', answer(second?.question))).toEqual(right(0));
  });

  it('is listed newest first, each transaction once', async () => {
    const serial = await enrol();
    const issued = [];
    for (let count = 0; count < 3; count += 1) {
      application.clock.advance(1);
      issued.unshift((await application.challenge(serial)).transactionid);
    }
    const listed = await application.status({ serial });
    expect(listed.map(({ transactionid }) => transactionid)).toEqual(issued);
  });
});

it.each(['get', 'post'] as const)(
  'the right response, by %s, is accepted once; the challenge is closed for ever',
  async (method) => {
    const { transactionid, right: pass, wrong: wrongPass } = await opened();
    expect(await application.check(transactionid, wrongPass, method)).toEqual(wrong(1));
    expect(await application.check(transactionid, pass, method)).toEqual(right(0));
    expect(await flags(transactionid)).toEqual([true, true, 0]);
    expect(await application.check(transactionid, pass, method)).toEqual(wrong(0));
    expect(await application.check(transactionid, wrongPass, method)).toEqual(wrong(0));
    expect(await flags(transactionid)).toEqual([true, true, 0]);
  },
);

describe('the counter', () => {
  it('moves past the match: the same response does not fit the same question of another transaction', async () => {
    const serial = await enrol();
    const data = 'the same 12345678';
    const [first, second] = [
      await application.challenge(serial, data),
      await application.challenge(serial, data),
    ];
    expect(second.question).toBe(first.question);
    const pass = `pin${application.respond(SUITE, first.question, { counter: 3n })}`;
    expect(await application.check(first.transactionid, pass)).toEqual(right(0));
    expect(await application.check(second.transactionid, pass)).toEqual(wrong(1));
    const next = `pin${application.respond(SUITE, second.question, { counter: 4n })}`;
    expect(await application.check(second.transactionid, next)).toEqual(right(0));
  });

  it('may be behind by half a window where challenges are answered in another order, and never goes back', async () => {
    const serial = await enrol();
    const answer = async (counter: bigint): Promise<unknown> => {
      const { transactionid, question } = await application.challenge(serial);
      return application.check(transactionid, `pin${application.respond(SUITE, question, { counter })}`);
    };
    const counter = async (): Promise<bigint | undefined> =>
      (await application.services.tokens.show(OPERATOR, serial)).counter;
    expect(await answer(9n)).toEqual(right(0));
    expect(await counter()).toBe(10n);
    expect(await answer(5n)).toEqual(right(0));
    expect(await counter()).toBe(10n);
    expect(await answer(4n)).toEqual(wrong(1));
    expect(await answer(19n)).toEqual(right(0));
    expect(await answer(30n)).toEqual(wrong(1));
    expect(await counter()).toBe(20n);
  });
});

describe('a wrong response or PIN', () => {
  it('counts, and closes the challenge when it is the third', async () => {
    const { transactionid, right: pass, wrong: wrongPass } = await opened();
    expect(await application.check(transactionid, wrongPass)).toEqual(wrong(1));
    expect(await flags(transactionid)).toEqual([true, false, 1]);
    expect(await application.check(transactionid, `nip${pass.slice(3)}`)).toEqual(wrong(2));
    expect(await application.check(transactionid, wrongPass)).toEqual(wrong(3));
    expect(await application.check(transactionid, pass)).toEqual(wrong(3));
    expect(await flags(transactionid)).toEqual([true, false, 3]);
  });

  it('touches neither other transactions nor other tokens', async () => {
    const [victim, bystander] = [await opened(), await opened()];
    const sibling = await application.challenge(victim.serial);
    await application.check(victim.transactionid, victim.wrong);
    const [first] = await application.status({ transactionid: sibling.transactionid });
    expect(first).toMatchObject({ received_tan: false, valid_tan: false });
    expect(await flags(bystander.transactionid)).toEqual([false, false, 0]);
  });

  it.each(['', 'pin', 'x', '12345678', 'pin12345678 ', 'pin１２３４５６７８', `pin${'1'.repeat(60_000)}`])(
    'counts as one in any form: %#',
    async (pass) => {
      const { transactionid } = await opened();
      expect(await application.check(transactionid, pass)).toEqual(wrong(1));
    },
  );
});

describe('after OcraChallengeTimeout', () => {
  it('nothing is accepted and nothing changes, on the second', async () => {
    const [inTime, late] = [await opened(), await opened()];
    application.clock.advance(1199);
    expect(await application.check(inTime.transactionid, inTime.right)).toEqual(right(0));
    application.clock.advance(1);
    expect(await application.check(late.transactionid, late.right)).toEqual(wrong(0));
    expect(await application.check(late.transactionid, late.wrong)).toEqual(wrong(0));
    expect(await flags(late.transactionid)).toEqual([false, false, 0]);
  });

  it.each([
    ['raised', '1M', '1H', 'expired', 0, wrong(0)],
    ['lowered', '1H', '1M', 'open', 1, right(0)],
  ])(
    'as it was at the issue, also where it is %s meanwhile',
    async (_change, was, is, state, open, answer) => {
      const { settings: configuration } = application.services;
      await configuration.set(OPERATOR, new Map([['OcraChallengeTimeout', was]]));
      const { serial, transactionid, right: pass } = await opened();
      await configuration.set(OPERATOR, new Map([['OcraChallengeTimeout', is]]));
      application.clock.advance(90);
      const seen = async (path: string, named: Record<string, string>): Promise<string> =>
        (await application.asAdmin(path, named)).text.replaceAll(/\s/g, '');
      expect(await seen('/admin/transaction/show', { transaction_id: transactionid })).toContain(
        `"state":"${state}"`,
      );
      expect(await seen('/admin/token/list', { serial })).toContain(`"open_challenges":${open}`);
      expect(await application.check(transactionid, pass)).toEqual(answer);
      await configuration.remove(OPERATOR, 'OcraChallengeTimeout');
    },
  );
});

it('a disabled token accepts nothing, counts nothing, and is as before when it is enabled again', async () => {
  const { serial, transactionid, right: pass, wrong: wrongPass } = await opened();
  await application.services.tokens.disable(OPERATOR, { serial });
  expect(await application.check(transactionid, pass)).toEqual(wrong(0));
  expect(await application.check(transactionid, wrongPass)).toEqual(wrong(0));
  expect(await flags(transactionid)).toEqual([false, false, 0]);
  await application.services.tokens.enable(OPERATOR, { serial });
  expect(await application.check(transactionid, pass)).toEqual(right(0));
});

it('a locked token answers a right guess like a wrong one, counts both, and leaves the challenge open', async () => {
  const { serial, transactionid, right: pass, wrong: wrongPass } = await opened();
  await application.services.tokens.set(OPERATOR, { serial }, { maxFail: 1 });
  expect(await application.check(transactionid, wrongPass)).toEqual(wrong(1));
  expect(await application.check(transactionid, pass)).toEqual(wrong(2));
  expect(await application.check(transactionid, wrongPass)).toEqual(wrong(3));
  expect(await application.check(transactionid, wrongPass)).toEqual(wrong(4));
  expect(await flags(transactionid)).toEqual([true, false, 4]);
  await application.services.tokens.reset(OPERATOR, { serial });
  expect(await application.check(transactionid, pass)).toEqual(right(0));
});

it.each(['123456789012', '*', '%', ' ', 'äö', "' OR 1=1 --", 'x'.repeat(10_000)])(
  'an unknown transaction is answered alike and raises no counter: %#',
  async (transactionid) => {
    const { transactionid: other } = await opened();
    expect(await application.check(transactionid, 'pin12345678')).toEqual(wrong(0));
    expect(await flags(other)).toEqual([false, false, 0]);
  },
);

describe('suites', () => {
  it.each([
    'OCRA-1:HOTP-SHA1-6:QN08',
    'OCRA-1:HOTP-SHA256-0:QH08',
    'OCRA-1:HOTP-SHA512-10:C-QA64',
    'OCRA-1:HOTP-SHA512-8:QN08-T1M',
    'OCRA-1:HOTP-SHA256-6:QN08-T1H',
    'OCRA-1:HOTP-SHA256-6:QN64',
    'OCRA-1:HOTP-SHA256-8:C-QN08-T1M',
  ])('%s: a right response is accepted once', async (suite) => {
    const { transactionid, right: pass, wrong: wrongPass } = await opened(suite);
    expect(await application.check(transactionid, suite.includes('-0:') ? 'pin00' : wrongPass)).toEqual(
      wrong(1),
    );
    expect(await application.check(transactionid, pass)).toEqual(right(0));
    expect(await application.check(transactionid, pass)).toEqual(wrong(0));
  });

  it('with an OCRA PIN take it into the response', async () => {
    const suite = 'OCRA-1:HOTP-SHA256-8:QN08-PSHA1';
    const serial = await enrol(suite, { ocrapin: '4711' });
    const { transactionid, question } = await application.challenge(serial);
    const answer = (pin: string): string => `pin${application.respond(suite, question, { pin })}`;
    expect(await application.check(transactionid, answer('4712'))).toEqual(wrong(1));
    expect(await application.check(transactionid, answer('4711'))).toEqual(right(0));
  });

  it('with time accept a step within the window, not beyond, and no step twice for one question', async () => {
    const suite = 'OCRA-1:HOTP-SHA512-8:QN08-T1M';
    const serial = await enrol(suite);
    const [one, two, three] = [
      await application.challenge(serial, '12345678'),
      await application.challenge(serial, '12345678'),
      await application.challenge(serial, '12345678'),
    ];
    const pass = `pin${application.respond(suite, '12345678')}`;
    application.clock.advance(120);
    expect(await application.check(one.transactionid, pass)).toEqual(right(0));
    expect(await application.check(two.transactionid, pass)).toEqual(wrong(1));
    const later = `pin${application.respond(suite, '12345678')}`;
    expect(await application.check(two.transactionid, later)).toEqual(right(0));
    const old = `pin${application.respond(suite, '12345678')}`;
    application.clock.advance(300);
    expect(await application.check(three.transactionid, old)).toEqual(wrong(1));
  });
});

describe('a token whose counters are at their maximum', () => {
  async function set(columns: Record<string, string | number>): Promise<string> {
    const serial = await enrol();
    const database = openDatabase({ connection: application.databaseUrl, applicationName: 'test' });
    await database.knex('tokens').where({ serial }).update(columns);
    await database.close();
    return serial;
  }

  it('refuses a right response after which its counter could not advance, and counts it as wrong', async () => {
    const last = 2n ** 63n - 1n;
    const serial = await set({ counter: last.toString() });
    const { transactionid, question } = await application.challenge(serial);
    const answer = (counter: bigint): string => `pin${application.respond(SUITE, question, { counter })}`;
    expect(await application.check(transactionid, answer(last))).toEqual(wrong(1));
    expect(await application.check(transactionid, answer(last + 1n))).toEqual(wrong(2));
    expect(await application.check(transactionid, answer(last - 1n))).toEqual(right(0));
  });

  it('stays locked, and reports it, when its fail counter is at its maximum', async () => {
    const most = 2 ** 31 - 1;
    const serial = await set({ fail_count: most });
    const { transactionid, question } = await application.challenge(serial);
    for (const response of [application.respond(SUITE, question), '00000000']) {
      expect(await application.check(transactionid, `pin${response}`)).toEqual(wrong(most));
    }
  });
});
