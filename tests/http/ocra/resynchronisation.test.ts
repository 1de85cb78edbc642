import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { outcomeOf, valueOf } from '../../support/application/browser.ts';
import { computeResponse } from '../../../src/ocra/compute.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { applicationOfTests, OPERATOR } from '../../support/application/test-application.ts';
import { whileHeld, WRITING_A_TOKEN } from '../../support/database/held-statement.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const TIME_SUITE = 'OCRA-1:HOTP-SHA256-8:QN08-T1M';
const KEY = Buffer.from('12345678901234567890123456789012', 'ascii');
const accepted = { failcount: 0, result: true };

const application = applicationOfTests();
let number = 0;
let serial = '';

beforeAll(async () => {
  await application.addRealm('staff', ['anna']);
  await application.addRealm('other', ['carol']);
  await configure('True');
});

async function enrol(suite: string, more: Record<string, string> = {}): Promise<void> {
  number += 1;
  serial = `RESYNC${number}`;
  await application.enrolPlain(serial, suite, { pin: 'pin', ...more });
}

async function resync(parameters: Record<string, string>): Promise<unknown> {
  return outcomeOf(await application.asAdmin('/admin/resync', { serial, ...parameters }));
}

async function token(): Promise<{ counter: bigint; timeShift: number; failCount: number }> {
  return application.services.tokens.show(OPERATOR, serial);
}

/** Puts two challenges to the token. @returns their questions and transactions, older first */
async function twoChallenges(): Promise<{ question: string; transactionid: string }[]> {
  return [await application.challenge(serial), await application.challenge(serial)];
}

describe('/admin/resync of a token with a counter', () => {
  beforeEach(() => enrol(SUITE));
  const at = (question: string, counter: bigint): string => application.respond(SUITE, question, { counter });

  it('takes two consecutive responses to its last two challenges and moves the counter past them', async () => {
    const [first, second] = await twoChallenges();
    const answers = { otp1: at(first?.question ?? '', 500n), otp2: at(second?.question ?? '', 501n) };
    expect(await resync({ ...answers, challenge2: '' })).toBe(true);
    expect(await resync(answers)).toBe(false);
    const acts = await application.auditRows({ subject: serial, action: 'token/resync', limit: 5 });
    expect(acts.map(({ actor, outcome }) => [actor, outcome])).toEqual([
      ['admin', 'refused'],
      ['admin', 'done'],
    ]);
    expect(await token()).toMatchObject({ counter: 502n, failCount: 0 });
    const { transactionid, question } = await application.challenge(serial);
    expect(await application.check(transactionid, `pin${at(question, 502n)}`)).toEqual(accepted);
  });

  it('spends both: neither is accepted for its challenge afterwards, nor for a resync', async () => {
    const [first, second] = await twoChallenges();
    const otp1 = at(first?.question ?? '', 0n);
    const otp2 = at(second?.question ?? '', 1n);
    expect(await resync({ otp1, otp2 })).toBe(true);
    expect(await application.check(first?.transactionid ?? '', `pin${otp1}`)).toMatchObject({
      result: false,
    });
    expect(await application.check(second?.transactionid ?? '', `pin${otp2}`)).toMatchObject({
      result: false,
    });
    expect(await resync({ otp1, otp2 })).toBe(false);
    expect((await token()).counter).toBe(2n);
  });

  it('never moves the counter back', async () => {
    const { transactionid, question } = await application.challenge(serial);
    expect(await application.check(transactionid, `pin${at(question, 9n)}`)).toEqual(accepted);
    const named = { challenge1: '11111111', challenge2: '22222222' };
    expect(await resync({ ...named, otp1: at('11111111', 5n), otp2: at('22222222', 6n) })).toBe(false);
    expect(await resync({ ...named, otp1: at('11111111', 9n), otp2: at('22222222', 10n) })).toBe(false);
    expect((await token()).counter).toBe(10n);
    expect(await resync({ ...named, otp1: at('11111111', 10n), otp2: at('22222222', 11n) })).toBe(true);
  });

  it('leaves the fail counter and the lock as they are', async () => {
    await application.services.tokens.set(OPERATOR, { serial }, { maxFail: 1 });
    const { transactionid } = await application.challenge(serial);
    await application.check(transactionid, 'pinx');
    const named = { challenge1: '11111111', challenge2: '22222222' };
    expect(await resync({ ...named, otp1: at('11111111', 60n), otp2: at('22222222', 61n) })).toBe(true);
    expect(await token()).toMatchObject({ counter: 62n, failCount: 1 });
  });

  it('and a response that arrive at the same time leave the highest counter', async () => {
    const { transactionid, question } = await application.challenge(serial);
    const named = { challenge1: '11111111', challenge2: '22222222' };
    const answers = { otp1: at('11111111', 3n), otp2: at('22222222', 4n) };
    await Promise.all([
      application.check(transactionid, `pin${at(question, 9n)}`),
      resync({ ...named, ...answers }),
      resync({ ...named, ...answers }),
    ]);
    expect((await token()).counter).toBe(10n);
  });

  it('names the missing challenges where there were no two', async () => {
    const missing = /Two challenges are needed/;
    expect(await resync({ otp1: '12345678', otp2: '12345678' })).toMatch(missing);
    await application.challenge(serial);
    expect(await resync({ otp1: '12345678', otp2: '12345678' })).toMatch(missing);
    const { question } = await application.challenge(serial);
    for (const named of [
      { challenge1: question },
      { challenge2: question },
      { challenge1: question, challenge2: '' },
    ]) {
      expect(await resync({ otp1: '1', otp2: '2', ...named })).toMatch(missing);
    }
  });

  it('refuses questions that the suite does not know, and no otp2', async () => {
    const answers = { otp1: '12345678', otp2: '12345678' };
    expect(await resync({ ...answers, challenge1: 'abc', challenge2: 'x' })).toMatch(/question/i);
    expect(await resync({ otp1: '12345678' })).toMatch(/^ERR77: .*Missing parameter 'otp2'/);
  });
});

describe('/admin/resync of a token with a clock', () => {
  const FAST = 895;
  const at = (question: string, seconds: number): string => {
    const suite = parseOcraSuite(TIME_SUITE);
    const timeStep = BigInt(Math.floor((application.clock.now().getTime() / 1000 + seconds) / 60));
    return computeResponse(suite, KEY, { question, timeStep });
  };
  beforeEach(() => enrol(TIME_SUITE));

  it('learns how far the clock is off, and accepts responses by it', async () => {
    const named = { challenge1: '11111111', challenge2: '22222222' };
    expect(await resync({ ...named, otp1: at('11111111', FAST), otp2: at('22222222', FAST) })).toBe(true);
    expect((await token()).timeShift).toBe(840);
    application.clock.advance(120);
    const { transactionid, question } = await application.challenge(serial);
    expect(await application.check(transactionid, `pin${at(question, FAST)}`)).toEqual(accepted);
  });
});

describe('/admin/resync', () => {
  const answers = { otp1: '1', otp2: '2', challenge1: '11111111', challenge2: '22222222' };

  it('says that a token without counter and clock has nothing to synchronise', async () => {
    await enrol('OCRA-1:HOTP-SHA1-6:QN08');
    expect(await resync(answers)).toMatch(/neither counter nor clock/);
  });

  it('finds the token by its owner', async () => {
    await enrol(SUITE, { user: 'anna', realm: 'staff' });
    const value = await resync({
      serial: '',
      user: 'anna',
      realm: 'staff',
      challenge1: '11111111',
      challenge2: '22222222',
      otp1: application.respond(SUITE, '11111111', { counter: 50n }),
      otp2: application.respond(SUITE, '22222222', { counter: 51n }),
    });
    expect(value).toBe(true);
    const others = { ...answers, serial: '', user: 'anna' };
    expect(await resync({ ...others, realm: 'nowhere' })).toMatch(/^ERR1205/);
    expect(await resync({ ...others, user: 'nobody' })).toMatch(/^ERR1205/);
  });

  it('does not know a serial that is not there, a wildcard or none', async () => {
    for (const unknown of ['NOSUCH', '*', 'RESYNC%']) {
      expect(await resync({ ...answers, serial: unknown })).toMatch(/No token found/);
    }
    expect(await resync({ ...answers, serial: '' })).toMatch(/^ERR77/);
  });

  it('refuses a token in roll-out phase 1', async () => {
    await application.services.enrolment.init(OPERATOR, {
      type: 'ocra',
      serial: 'PHASE1',
      genkey: '1',
      sharedsecret: '1',
    });
    expect(await resync({ ...answers, serial: 'PHASE1' })).toMatch(/roll-out/);
  });

  it('refuses a token that is removed meanwhile', async () => {
    await enrol(SUITE);
    const resynchronising = whileHeld(
      WRITING_A_TOKEN,
      () => resync(answers),
      () => application.services.tokens.remove(OPERATOR, { serial }),
    );
    expect(await resynchronising).toMatch(/No token found/);
  });

  it('is limited to administrators with the right, and to the tokens of their realms', async () => {
    const response = await application.send('/admin/resync', { serial, ...answers });
    expect(response.status).toBe(401);
    await enrol(SUITE);
    const { policies } = application.services;
    const base = { scope: 'admin', user: '*', client: '', time: '', active: true } as const;
    await policies.set(OPERATOR, { ...base, name: 'p', action: 'resync', realm: 'staff' });
    expect(await resync(answers)).toMatch(/No token found/);
    expect(await resync({ ...answers, serial: '', user: 'carol', realm: 'other' })).toMatch(/^ERR1205/);
    await policies.set(OPERATOR, { ...base, name: 'p', action: 'show', realm: '*' });
    expect(await resync(answers)).toMatch(/^ERR410/);
    await policies.remove(OPERATOR, 'p');
  });
});

const CLOCK = 'OCRA-1:HOTP-SHA512-8:QN08-T1M';
const refused = (failcount: number): object => ({ failcount, result: false });

beforeEach(async () => {
  number += 1;
  serial = `SYNC${number}`;
  await application.enrolPlain(serial, SUITE, { pin: 'pin' });
});

function configure(autoResync: string): Promise<unknown> {
  return application.services.settings.set(OPERATOR, new Map([['AutoResync', autoResync]]));
}

/** The answer of a device whose clock is so many minutes ahead of the server's. */
function respondAhead(question: string, minutes: number): string {
  const now = application.clock.now();
  application.clock.advance(minutes * 60);
  const response = application.respond(CLOCK, question);
  application.clock.set(now);
  return response;
}

interface Sent {
  readonly pin?: string;
  readonly data?: string;
}

/** Answers a new challenge. @returns the value, and what was sent */
async function answerBy(respond: (question: string) => string, { pin = 'pin', data = '' }: Sent = {}) {
  const { transactionid, question } = await application.challenge(serial, data);
  const pass = `${pin}${respond(question)}`;
  return { value: await application.check(transactionid, pass), transactionid, pass };
}

const answer = (counter: bigint, sent?: Sent) =>
  answerBy((question) => application.respond(SUITE, question, { counter }), sent);
const answerAhead = (minutes: number, sent?: Sent) =>
  answerBy((question) => respondAhead(question, minutes), sent);

describe('with AutoResync, a token whose counter has run away', () => {
  it('is in step again after two consecutive responses: the first is refused, the second accepted', async () => {
    expect((await answer(60n)).value).toEqual(refused(1));
    expect((await token()).counter).toBe(0n);
    expect((await answer(61n)).value).toEqual(accepted);
    expect((await token()).counter).toBe(62n);
    expect((await answer(62n)).value).toEqual(accepted);
  });

  it('starts over where a response of the window was accepted in between', async () => {
    await answer(60n);
    expect((await answer(3n)).value).toEqual(accepted);
    expect((await answer(61n)).value).toEqual(refused(1));
    expect((await answer(62n)).value).toEqual(accepted);
  });

  it('forgets the first half when it is enrolled anew', async () => {
    await answer(60n);
    await application.enrolPlain(serial, SUITE, { pin: 'pin' });
    expect((await answer(61n)).value).toEqual(refused(1));
  });
});

describe.each<[what: string, suite: string, answering: typeof answerAhead, out: number]>([
  ['counter has run away', SUITE, (at, how) => answer(BigInt(at), how), 60],
  ['clock is ahead', CLOCK, answerAhead, 20],
])('with AutoResync, a token whose %s', (_, suite, answering, out) => {
  beforeEach(() => application.enrolPlain(serial, suite, { pin: 'pin' }));

  it('takes none of the two a second time, not even the one that was refused', async () => {
    const first = await answering(out);
    const second = await answering(out + 1);
    expect(second.value).toEqual(accepted);
    expect(await application.check(second.transactionid, second.pass)).toEqual(refused(0));
    expect(await application.check(first.transactionid, first.pass)).toEqual(refused(1));
  });

  it('takes neither of them for another transaction with the same question', async () => {
    const data = 'the same 12345678';
    const first = await answering(out, { data });
    const second = await answering(out + 1, { data });
    expect(second.value).toEqual(accepted);
    const { transactionid } = await application.challenge(serial, data);
    expect(await application.check(transactionid, first.pass)).toEqual(refused(1));
    expect(await application.check(transactionid, second.pass)).toEqual(refused(2));
  });

  it('needs the right PIN for both', async () => {
    await answering(out, { pin: 'nip' });
    expect((await answering(out + 1)).value).toEqual(refused(2));
    expect((await answering(out + 2, { pin: 'nip' })).value).toEqual(refused(3));
    expect((await answering(out + 2)).value).toEqual(accepted);
  });

  it('is not followed while it is locked', async () => {
    await application.services.tokens.set(OPERATOR, { serial }, { maxFail: 1 });
    await answering(out);
    expect((await answering(out + 1)).value).toEqual(refused(2));
    expect((await answering(out + 2)).value).toEqual(refused(3));
    await application.services.tokens.reset(OPERATOR, { serial });
    expect((await answering(out + 8)).value).toEqual(refused(1));
    expect((await token()).counter).toBe(0n);
    expect((await token()).timeShift).toBe(0);
  });

  it('has its second response accepted once, however often it arrives at the same time', async () => {
    await answering(out);
    const { transactionid, pass } = await answering(out + 1, { pin: 'nip' });
    const right = pass.replace('nip', 'pin');
    const values = await Promise.all(
      Array.from({ length: 8 }, () => application.check(transactionid, right)),
    );
    expect(values.filter((value) => (value as { result: boolean }).result)).toHaveLength(1);
  });

  it('stays out of step where AutoResync is off', async () => {
    await configure('False');
    await answering(out);
    expect((await answering(out + 1)).value).toEqual(refused(2));
    expect((await token()).counter).toBe(0n);
    expect((await token()).timeShift).toBe(0);
    await configure('True');
  });
});

describe('with AutoResync, a token whose clock is ahead', () => {
  beforeEach(() => application.enrolPlain(serial, CLOCK, { pin: 'pin' }));

  it('is in step again after two responses: twenty minutes ahead is refused, twenty-one accepted', async () => {
    expect((await answerAhead(20)).value).toEqual(refused(1));
    expect((await token()).timeShift).toBe(0);
    expect((await answerAhead(21)).value).toEqual(accepted);
    expect((await token()).timeShift).toBe(1_260);
    expect((await answerAhead(22)).value).toEqual(accepted);
    expect((await answerAhead(0)).value).toEqual(refused(1));
  });

  it('may answer both questions within one time step, though not the same one', async () => {
    const data = 'the same 12345678';
    await answerAhead(20, { data });
    expect((await answerAhead(20, { data })).value).toEqual(refused(2));
    expect((await answerAhead(20)).value).toEqual(accepted);
  });

  it.each([
    ['earlier than the first', [21, 20], 21],
    ['more than five minutes after it', [20, 26], 27],
  ])('stays out of step where the second response is %s', async (_, [one = 0, other = 0], next) => {
    await answerAhead(one);
    expect((await answerAhead(other)).value).toEqual(refused(2));
    expect((await token()).timeShift).toBe(0);
    expect((await answerAhead(next)).value).toEqual(accepted);
  });

  it('is not followed where it is slow: a response kept from before would be accepted', async () => {
    await answerAhead(-21);
    expect((await answerAhead(-20)).value).toEqual(refused(2));
    expect((await answerAhead(-19)).value).toEqual(refused(3));
  });

  it('is followed back where it had been fast, but never before the last accepted response', async () => {
    await answerAhead(20);
    expect((await answerAhead(21)).value).toEqual(accepted);
    await answerAhead(0);
    expect((await answerAhead(1)).value).toEqual(refused(2));
    application.clock.advance(22 * 60);
    await answerAhead(0);
    expect((await answerAhead(1)).value).toEqual(accepted);
    expect((await token()).timeShift).toBe(60);
  });

  it('is never followed further than a day from the clock of the server', async () => {
    await application.services.tokens.set(OPERATOR, { serial }, { syncWindow: 10_000 });
    const [almost, day] = [23 * 60 + 50, 24 * 60];
    await answerAhead(day);
    expect((await answerAhead(day + 1)).value).toEqual(refused(2));
    await answerAhead(almost);
    expect((await answerAhead(almost)).value).toEqual(accepted);
    await answerAhead(day + 5);
    expect((await answerAhead(day + 6)).value).toEqual(refused(2));
  });

  it('is followed without a transaction id, too', async () => {
    const { question } = await application.challenge(serial);
    const validate = async (pass: string): Promise<unknown> => {
      return valueOf(await application.send('/validate/check_s', { serial, pass: `pin${pass}` }));
    };
    expect(await validate(respondAhead(question, 20))).toBe(false);
    const second = await application.challenge(serial);
    expect(await validate(respondAhead(second.question, 21))).toBe(true);
    expect((await token()).timeShift).toBe(1_260);
  });
});

it('a token that is out of step is told apart in audit and history, with the remedy for operators, and not in the answer', async () => {
  await configure('False');
  const far = await answer(60n);
  const { transactionid, question } = await application.challenge(serial);
  const wrong = await application.check(transactionid, `pin${'0'.repeat(8)}`);
  expect(application.respond(SUITE, question, { counter: 0n })).not.toBe('00000000');
  expect([far.value, wrong]).toEqual([refused(1), refused(2)]);
  const rows = await application.auditRows({ outcome: 'wrong', limit: 10 });
  const outcomes = rows.filter(({ subject }) => subject === serial).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['wrong, right PIN', 'wrong, out of step']);
  const { events } = await application.services.transactions.history(OPERATOR, far.transactionid);
  expect(events.at(-1)).toMatchObject({ event: 'wrong', reason: 'the token is out of step' });
});
