import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { queryOnce } from '../../support/database/test-server.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const DATA = '12345678';
const OTHER_KEY = Buffer.alloc(32, 0xaa);
const right = { failcount: 0, result: true };
const wrong = (failcount: number): object => ({ failcount, result: false });

let application: TestApplication;
let number = 0;

beforeAll(async () => {
  application = await TestApplication.open();
  await application.addRealm('bank', ['ann', 'bob']);
});
afterAll(() => application.close());

async function enrol(): Promise<string> {
  number += 1;
  const serial = `TWICE${number}`;
  await application.enrolPlain(serial, SUITE);
  return serial;
}

const challenge = async (serial: string): Promise<string> =>
  (await application.challenge(serial, DATA)).transactionid;
const answer = (counter: bigint, key?: Buffer): string =>
  application.respond(SUITE, DATA, { counter, ...(key !== undefined && { key }) });
const counterOf = async (serial: string): Promise<bigint> =>
  (await application.services.tokens.show(OPERATOR, serial)).counter;

describe('a token that is enrolled anew', () => {
  it('with the same key and suite keeps its counter: no response is accepted again', async () => {
    const serial = await enrol();
    expect(await application.check(await challenge(serial), answer(7n))).toEqual(right);
    await application.enrolPlain(serial, SUITE);
    expect(await counterOf(serial)).toBe(8n);
    expect(await application.check(await challenge(serial), answer(7n))).toEqual(wrong(1));
    expect(await application.check(await challenge(serial), answer(8n))).toEqual(right);
  });

  it('with another key or suite begins to count anew', async () => {
    const serial = await enrol();
    expect(await application.check(await challenge(serial), answer(7n))).toEqual(right);
    await application.enrolPlain(serial, SUITE, { otpkey: OTHER_KEY.toString('hex') });
    expect(await counterOf(serial)).toBe(0n);
    expect(await application.check(await challenge(serial), answer(0n, OTHER_KEY))).toEqual(right);
    await application.enrolPlain(serial, 'OCRA-1:HOTP-SHA256-8:C-QN10', {
      otpkey: OTHER_KEY.toString('hex'),
    });
    expect(await counterOf(serial)).toBe(0n);
  });

  it("does not answer a challenge of the previous key's holder with its new key", async () => {
    const serial = await enrol();
    const before = await challenge(serial);
    await application.enrolPlain(serial, SUITE, { otpkey: OTHER_KEY.toString('hex') });
    expect(await application.check(before, answer(0n, OTHER_KEY))).toEqual(wrong(0));
    expect(await application.check(await challenge(serial), answer(0n, OTHER_KEY))).toEqual(right);
  });
});

describe('a token that changes hands', () => {
  it('does not answer a challenge of the previous owner for the new one', async () => {
    const serial = await enrol();
    const { tokens } = application.services;
    await tokens.assign(OPERATOR, { serial, user: 'ann', realm: 'bank' });
    const context = await challenge(serial);
    await tokens.assign(OPERATOR, { serial, user: 'bob', realm: 'bank' });
    expect(await application.check(context, answer(0n))).toEqual(wrong(0));
    const askedOfBob = await challenge(serial);
    await tokens.unassign(OPERATOR, { serial });
    expect(await application.check(askedOfBob, answer(0n))).toEqual(wrong(0));
  });

  it('still answers when only its settings change', async () => {
    const serial = await enrol();
    const context = await challenge(serial);
    await application.services.tokens.set(OPERATOR, { serial }, { pin: 'pin', maxFail: 5 });
    await application.services.tokens.disable(OPERATOR, { serial });
    await application.services.tokens.enable(OPERATOR, { serial });
    expect(await application.check(context, `pin${answer(0n)}`)).toEqual(right);
  });
});

describe('a counter window that is made wider', () => {
  it('does not bring back responses that were accepted long ago', async () => {
    const serial = await enrol();
    expect(await application.check(await challenge(serial), answer(3n))).toEqual(right);
    for (const counter of [12n, 21n, 30n]) {
      expect(await application.check(await challenge(serial), answer(counter))).toEqual(right);
    }
    await application.services.tokens.set(OPERATOR, { serial }, { counterWindow: 100 });
    expect(await application.check(await challenge(serial), answer(3n))).toEqual(wrong(1));
    expect(await application.check(await challenge(serial), answer(12n))).toEqual(wrong(2));
    expect(await application.check(await challenge(serial), answer(29n))).toEqual(right);
  });
});

describe('a clock that is set back', () => {
  it('does not bring back a response that was accepted so long ago that it is forgotten', async () => {
    const suite = 'OCRA-1:HOTP-SHA256-8:QN08-T1M';
    number += 1;
    const serial = `TWICE${number}`;
    await application.enrolPlain(serial, suite);
    const noon = application.clock.now();
    const first = application.respond(suite, DATA);
    expect(await application.check(await challenge(serial), first)).toEqual(right);
    application.clock.advance(3600);
    expect(await application.check(await challenge(serial), application.respond(suite, DATA))).toEqual(right);
    application.clock.set(noon);
    expect(await application.check(await challenge(serial), first)).toEqual(wrong(1));
    application.clock.advance(3660);
    expect(await application.check(await challenge(serial), application.respond(suite, DATA))).toEqual(right);
    application.clock.set(noon);
  });
});

async function resync(parameters: Record<string, string>): Promise<unknown> {
  const { body } = (await application.asAdmin('/admin/resync', parameters)) as {
    body: { result: { value?: unknown } };
  };
  return body.result.value;
}

/** Pairs of texts that are one and the same question to a device: RFC 6287 §5.1 makes the same bytes of both. */
describe('one question in two spellings', () => {
  const HEX_SUITE = 'OCRA-1:HOTP-SHA256-8:C-QH08';
  const TIME_SUITE = 'OCRA-1:HOTP-SHA256-8:QN08-T1M';

  it.each([
    [SUITE, '00000016', '00000001'],
    [SUITE, '05478395', '87654320'],
    [HEX_SUITE, 'ABCDEF12', 'abcdef12'],
    [TIME_SUITE, '00000256', '00000016'],
  ])('of %s, %s and then %s: the response is accepted once', async (suite, one, other) => {
    number += 1;
    const serial = `TWICE${number}`;
    await application.enrolPlain(serial, suite);
    const first = await application.challenge(serial, one);
    const second = await application.challenge(serial);
    // As an import brings it: a request gets no such question.
    await queryOnce(
      application.databaseUrl,
      `UPDATE challenges SET question = '${other}' WHERE transaction_id = '${second.transactionid}'`,
    );
    const imported = application.restarted();
    const inputs = { counter: 3n };
    const response = application.respond(suite, one, inputs);
    expect(first.question).toBe(one);
    expect(application.respond(suite, other, inputs)).toBe(response);
    expect(await imported.check(first.transactionid, response)).toEqual(right);
    expect(await imported.check(second.transactionid, response)).toEqual(wrong(1));
  });

  it('is not accepted after a resync for which it was spelt shorter', async () => {
    const serial = await enrol();
    const context = await application.challenge(serial, '00000012');
    const [otp1, otp2] = [5n, 6n].map((counter) => application.respond(SUITE, '00000012', { counter }));
    const spelt = { challenge1: '12', challenge2: '192', otp1: otp1 ?? '', otp2: otp2 ?? '' };
    expect(await resync({ serial, ...spelt })).toBe(true);
    expect(await application.check(context.transactionid, otp2 ?? '')).toEqual(wrong(1));
  });

  it('is not two responses that follow each other', async () => {
    number += 1;
    const serial = `TWICE${number}`;
    await application.enrolPlain(serial, TIME_SUITE);
    const otp = application.respond(TIME_SUITE, '00000012');
    const spelt = { challenge1: '12', challenge2: '192', otp1: otp, otp2: otp };
    expect(await resync({ serial, ...spelt })).toBe(false);
  });
});
