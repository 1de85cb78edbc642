import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const CLOCK = 'OCRA-1:HOTP-SHA512-8:QN08-T1M';
const accepted = { failcount: 0, result: true };
const refused = (failcount: number): object => ({ failcount, result: false });

let application: TestApplication;
let number = 0;
let serial = '';

beforeAll(async () => {
  application = await TestApplication.open();
  await configure('True');
});
afterAll(() => application.close());

beforeEach(async () => {
  number += 1;
  serial = `SYNC${number}`;
  await application.enrolPlain(serial, SUITE, { pin: 'pin' });
});

function configure(autoResync: string): Promise<unknown> {
  return application.services.settings.set(OPERATOR, new Map([['AutoResync', autoResync]]));
}

async function counter(): Promise<bigint> {
  return (await application.services.tokens.show(OPERATOR, serial)).counter;
}

async function clockShift(): Promise<number> {
  return (await application.services.tokens.show(OPERATOR, serial)).timeShift;
}

/** The answer of a device whose clock is so many minutes ahead of the server's. */
function respondAhead(question: string, minutes: number): string {
  const now = application.clock.now();
  application.clock.advance(minutes * 60);
  const response = application.respond(CLOCK, question);
  application.clock.set(now);
  return response;
}

/** As `answer`, by a device whose clock is ahead. */
async function answerAhead(
  minutes: number,
  { pin = 'pin', data = '' } = {},
): Promise<{ value: unknown; transactionid: string; pass: string }> {
  const { transactionid, question } = await application.challenge(serial, data);
  const pass = `${pin}${respondAhead(question, minutes)}`;
  return { value: await application.check(transactionid, pass), transactionid, pass };
}

/** Answers a new challenge with the response of that counter. @returns the value, and what was sent */
async function answer(
  at: bigint,
  { pin = 'pin', data = '' } = {},
): Promise<{ value: unknown; transactionid: string; pass: string }> {
  const { transactionid, question } = await application.challenge(serial, data);
  const pass = `${pin}${application.respond(SUITE, question, { counter: at })}`;
  return { value: await application.check(transactionid, pass), transactionid, pass };
}

describe('with AutoResync, a token whose counter has run away', () => {
  it('is in step again after two consecutive responses: the first is refused, the second accepted', async () => {
    expect((await answer(60n)).value).toEqual(refused(1));
    expect(await counter()).toBe(0n);
    expect((await answer(61n)).value).toEqual(accepted);
    expect(await counter()).toBe(62n);
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
    expect(await counter()).toBe(0n);
    expect(await clockShift()).toBe(0);
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
    expect(await counter()).toBe(0n);
    expect(await clockShift()).toBe(0);
    await configure('True');
  });
});

describe('with AutoResync, a token whose clock is ahead', () => {
  beforeEach(() => application.enrolPlain(serial, CLOCK, { pin: 'pin' }));

  it('is in step again after two responses: twenty minutes ahead is refused, twenty-one accepted', async () => {
    expect((await answerAhead(20)).value).toEqual(refused(1));
    expect(await clockShift()).toBe(0);
    expect((await answerAhead(21)).value).toEqual(accepted);
    expect(await clockShift()).toBe(1_260);
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
    expect(await clockShift()).toBe(0);
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
    expect(await clockShift()).toBe(60);
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
      const { body } = (await application.send('/validate/check_s', { serial, pass: `pin${pass}` })) as {
        body: { result: { value: unknown } };
      };
      return body.result.value;
    };
    expect(await validate(respondAhead(question, 20))).toBe(false);
    const second = await application.challenge(serial);
    expect(await validate(respondAhead(second.question, 21))).toBe(true);
    expect(await clockShift()).toBe(1_260);
  });
});

describe('a configuration value AutoResync that is neither True nor False', () => {
  it('is refused', async () => {
    await expect(configure('maybe')).rejects.toMatchObject({ code: 'configuration.invalid' });
  });
});

describe('a token that is out of step', () => {
  it('is told apart in audit and history, with the remedy for operators, and not in the answer', async () => {
    await configure('False');
    const far = await answer(60n);
    const { transactionid, question } = await application.challenge(serial);
    const wrong = await application.check(transactionid, `pin${'0'.repeat(8)}`);
    expect(application.respond(SUITE, question, { counter: 0n })).not.toBe('00000000');
    expect([far.value, wrong]).toEqual([refused(1), refused(2)]);
    const rows = await application.services.audit.search(OPERATOR, { outcome: 'wrong', limit: 10 });
    const outcomes = rows.filter(({ subject }) => subject === serial).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['wrong, right PIN', 'wrong, out of step']);
    const { events } = await application.services.transactions.history(OPERATOR, far.transactionid);
    expect(events.at(-1)).toMatchObject({ event: 'wrong', reason: 'the token is out of step' });
  });
});
