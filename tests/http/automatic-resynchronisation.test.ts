import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OPERATOR, TestApplication } from '../support/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
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

function configure(autoResync: string): Promise<void> {
  return application.services.configuration.set(OPERATOR, new Map([['AutoResync', autoResync]]));
}

async function counter(): Promise<bigint> {
  return (await application.services.tokens.show(OPERATOR, serial)).counter;
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

  it('takes none of the two a second time, not even the one that was refused', async () => {
    const first = await answer(60n);
    const second = await answer(61n);
    expect(second.value).toEqual(accepted);
    expect(await application.check(second.transactionid, second.pass)).toEqual(refused(0));
    expect(await application.check(first.transactionid, first.pass)).toEqual(refused(1));
  });

  it('takes neither of them for another transaction with the same question', async () => {
    const data = 'the same 12345678';
    const first = await answer(60n, { data });
    const second = await answer(61n, { data });
    expect(second.value).toEqual(accepted);
    const { transactionid } = await application.challenge(serial, data);
    expect(await application.check(transactionid, first.pass)).toEqual(refused(1));
    expect(await application.check(transactionid, second.pass)).toEqual(refused(2));
  });

  it('stays out of step where one response is left out between the two', async () => {
    await answer(60n);
    expect((await answer(62n)).value).toEqual(refused(2));
    expect((await answer(61n)).value).toEqual(refused(3));
    expect(await counter()).toBe(0n);
  });

  it('stays out of step where the same response is given again', async () => {
    const { transactionid, pass } = await answer(60n);
    expect(await application.check(transactionid, pass)).toEqual(refused(2));
    expect(await counter()).toBe(0n);
  });

  it('starts over where a response of the window was accepted in between', async () => {
    await answer(60n);
    expect((await answer(3n)).value).toEqual(accepted);
    expect((await answer(61n)).value).toEqual(refused(1));
    expect((await answer(62n)).value).toEqual(accepted);
  });

  it('needs the right PIN for both', async () => {
    await answer(60n, { pin: 'nip' });
    expect((await answer(61n)).value).toEqual(refused(2));
    expect((await answer(62n, { pin: 'nip' })).value).toEqual(refused(3));
    expect((await answer(62n)).value).toEqual(accepted);
  });

  it('is not followed beyond the sync window', async () => {
    await application.services.tokens.set(OPERATOR, { serial, syncWindow: 50 });
    await answer(50n);
    expect((await answer(51n)).value).toEqual(refused(2));
    await answer(48n);
    expect((await answer(49n)).value).toEqual(accepted);
  });

  it('is not followed while it is locked', async () => {
    await application.services.tokens.set(OPERATOR, { serial, maxFail: 1 });
    await answer(60n);
    expect((await answer(61n)).value).toEqual(refused(2));
    expect((await answer(62n)).value).toEqual(refused(3));
    await application.services.tokens.reset(OPERATOR, serial);
    expect((await answer(63n)).value).toEqual(refused(1));
    expect(await counter()).toBe(0n);
  });

  it('accepts the second response once, however often it arrives at the same time', async () => {
    await answer(60n);
    const { transactionid, question } = await application.challenge(serial);
    const pass = `pin${application.respond(SUITE, question, { counter: 61n })}`;
    const values = await Promise.all(Array.from({ length: 8 }, () => application.check(transactionid, pass)));
    expect(values.filter((value) => (value as { result: boolean }).result)).toHaveLength(1);
    expect(await counter()).toBe(62n);
  });

  it('forgets the first half when it is enrolled anew', async () => {
    await answer(60n);
    await application.enrolPlain(serial, SUITE, { pin: 'pin' });
    expect((await answer(61n)).value).toEqual(refused(1));
  });
});

describe('without AutoResync', () => {
  beforeAll(() => configure('False'));
  afterAll(() => configure('True'));

  it('nothing brings the counter back in step', async () => {
    await answer(60n);
    expect((await answer(61n)).value).toEqual(refused(2));
    expect(await counter()).toBe(0n);
  });
});

describe('a configuration value AutoResync that is neither True nor False', () => {
  it('is refused', async () => {
    await expect(configure('maybe')).rejects.toMatchObject({ code: 'configuration.invalid' });
  });
});
