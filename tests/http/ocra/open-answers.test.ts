import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { whileHeld } from '../../support/database/held-statement.ts';
import {
  OPERATOR,
  type PortalChallenge,
  TestApplication,
  wrongResponse,
} from '../../support/application/test-application.ts';

const COUNTER = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const NEITHER = 'OCRA-1:HOTP-SHA256-8:QN08';
/** Fills a question. */
const DATA = '12345678';
const SETTLING = /^WITH request AS/;
const AT_ONCE = 16;

let here: TestApplication;
/** Another server on the same database. */
let there: TestApplication;
let number = 0;
let serial = '';
let user = '';

beforeAll(async () => {
  here = await TestApplication.open();
  there = here.beside();
  await here.addRealm('staff');
  await here.services.settings.set(OPERATOR, new Map([['OcraMaxChallengeRequests', '1000']]));
});
afterAll(async () => {
  await there.close();
  await here.close();
});

beforeEach(async () => {
  number += 1;
  [serial, user] = [`OPEN${number}`, `user${number}`];
  await here.services.users.add(OPERATOR, {
    resolver: 'staff',
    login: user,
    givenName: '',
    surname: '',
    email: '',
    phone: '',
  });
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
  const { body } = (await (by === 'serial'
    ? server.send('/validate/check_s', { serial, pass })
    : server.send('/validate/check', { user, realm: 'staff', pass }))) as {
    body: { result: { value?: unknown } };
  };
  return body.result.value;
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

  it('is accepted once of two challenges with the same question', async () => {
    await here.challenge(serial, DATA);
    const newest = await here.challenge(serial, DATA);
    expect(accepted(await atOnce((index) => validate(respond(newest), index)))).toBe(1);
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

  it('leaves room for the responses to all others', async () => {
    const open = [await here.challenge(serial), await here.challenge(serial), await here.challenge(serial)];
    const reported = await Promise.all(
      open.map((challenge, index) => validate(respond(challenge, BigInt(index)), index)),
    );
    expect(reported).toEqual([true, true, true]);
    expect(await failCount()).toBe(0);
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
