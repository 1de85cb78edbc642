import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { computeResponse } from '../../../src/ocra/compute.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { whileHeld, WRITING_A_TOKEN } from '../../support/database/held-statement.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const TIME_SUITE = 'OCRA-1:HOTP-SHA256-8:QN08-T1M';
const KEY = Buffer.from('12345678901234567890123456789012', 'ascii');
const accepted = { failcount: 0, result: true };

let application: TestApplication;
let number = 0;
let serial = '';

beforeAll(async () => {
  application = await TestApplication.open();
  await application.addRealm('staff', ['anna']);
  await application.addRealm('other', ['carol']);
});
afterAll(() => application.close());

async function enrol(suite: string, more: Record<string, string> = {}): Promise<void> {
  number += 1;
  serial = `RESYNC${number}`;
  await application.enrolPlain(serial, suite, { pin: 'pin', ...more });
}

async function resync(parameters: Record<string, string>): Promise<unknown> {
  const { body } = (await application.asAdmin('/admin/resync', { serial, ...parameters })) as {
    body: { result: { value?: unknown; error?: { message: string } } };
  };
  return body.result.error?.message ?? body.result.value;
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
    const acts = await application.services.audit.search(OPERATOR, {
      subject: serial,
      action: 'token/resync',
      limit: 5,
    });
    expect(acts.map(({ actor, outcome }) => [actor, outcome])).toEqual([
      ['admin', 'refused'],
      ['admin', 'done'],
    ]);
    expect(await token()).toMatchObject({ counter: 502n, failCount: 0 });
    const { transactionid, question } = await application.challenge(serial);
    expect(await application.check(transactionid, `pin${at(question, 502n)}`)).toEqual(accepted);
  });

  it('takes responses to questions that are named', async () => {
    const named = { challenge1: '11111111', challenge2: '22222222' };
    const answers = { otp1: at('11111111', 77n), otp2: at('22222222', 78n) };
    expect(await resync({ ...named, ...answers })).toBe(true);
    expect((await token()).counter).toBe(79n);
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

  it('spends both', async () => {
    const [first, second] = await twoChallenges();
    const otp1 = at(first?.question ?? '', 0);
    const otp2 = at(second?.question ?? '', 0);
    expect(await resync({ otp1, otp2 })).toBe(true);
    expect(await application.check(first?.transactionid ?? '', `pin${otp1}`)).toMatchObject({
      result: false,
    });
    expect(await application.check(second?.transactionid ?? '', `pin${otp2}`)).toMatchObject({
      result: false,
    });
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
