import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'supertest';
import { computeResponse, responseValues } from '../../../src/ocra/compute.ts';
import { parseAlgorithm } from '../../../src/ocra/otp.ts';
import { UserDirectory } from '../../../src/users/user-directory.ts';
import { errorOf, valueOf } from '../../support/application/browser.ts';
import { applicationOfTests, OPERATOR } from '../../support/application/test-application.ts';

const COUNTER = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const OTHER_KEY = Buffer.alloc(32, 9);
const WRONG = 'xxxxxxxx';
const LOCKED = { fail_count: 10 };

let computed = 0;
const application = applicationOfTests({
  responder: (suite, key) => {
    const respond = responseValues(suite, key);
    return (dataInput) => {
      computed += 1;
      return respond(dataInput);
    };
  },
});
let number = 0;
let user = '';
/** Of the user of a test; `second` has OTHER_KEY. */
let first = '';
let second = '';

beforeAll(() => application.addRealm('staff'));

async function begin(more: Record<string, string> = {}): Promise<void> {
  number += 1;
  [user, first, second] = [`user${number}`, `A${number}`, `B${number}`];
  await application.addUser(user, 'staff', 'geheimnis');
  await application.enrolPlain(first, COUNTER, { user, realm: 'staff', ...more });
}

beforeEach(() => begin());

async function enrolSecond(): Promise<void> {
  await application.enrolPlain(second, COUNTER, { user, realm: 'staff', otpkey: OTHER_KEY.toString('hex') });
}

/** @returns the responses of the device to new challenges, the oldest first */
async function opened(serial: string, challenges = 1): Promise<readonly string[]> {
  const responses: string[] = [];
  for (let count = 0; count < challenges; count += 1) {
    application.clock.advance(1);
    const { question } = await application.challenge(serial);
    const key = serial === second ? { key: OTHER_KEY } : {};
    responses.push(application.respond(COUNTER, question, key));
  }
  return responses;
}

const bySerial = async (pass: string): Promise<unknown> =>
  valueOf(await application.send('/validate/check_s', { serial: first, pass }));
const askByUser = async (pass: string): Promise<Response> =>
  application.send('/validate/check', { user, realm: 'staff', pass });
const byUser = async (pass: string): Promise<unknown> => valueOf(await askByUser(pass));

async function set(serial: string, columns: Readonly<Record<string, number | boolean>>): Promise<void> {
  const changes = Object.entries(columns).map(([name, value]) => `${name} = ${String(value)}`);
  await application.rows(`UPDATE tokens SET ${changes.join(', ')}, version = version + 1 WHERE serial = $1`, [
    serial,
  ]);
}

/** @returns the fail counter, and the state of each challenge, the oldest first */
async function state(serial: string): Promise<readonly unknown[]> {
  const rows = await application.rows<{ state: string }>(
    `SELECT concat_ws(' ', coalesce(closed_by, 'open'), wrong_count, CASE WHEN received_tan THEN 'received' END) AS state
     FROM challenges WHERE token_id = (SELECT id FROM tokens WHERE serial = $1) ORDER BY issued_at`,
    [serial],
  );
  return [await failCount(serial), ...rows.map((row) => row.state)];
}

const failCount = async (serial: string): Promise<number> =>
  (await application.services.tokens.show(OPERATOR, serial)).failCount;

/** @returns the number of responses that were computed meanwhile */
async function workOf(work: () => Promise<unknown>): Promise<number> {
  const before = computed;
  await work();
  return computed - before;
}

describe('a response to a token with several open challenges', () => {
  it.each([
    [0, ['accepted 0 received', 'open 0', 'open 0']],
    [1, ['open 0', 'accepted 0 received', 'open 0']],
    [2, ['open 0', 'open 0', 'accepted 0 received']],
  ])(
    'that is right for the one at %i is accepted for it, and no other changes',
    async (place, challenges) => {
      const responses = await opened(first, 3);
      expect(await bySerial(responses[place] ?? '')).toBe(true);
      expect(await state(first)).toEqual([0, ...challenges]);
    },
  );

  it('is tried on as many challenges as may be open, where more are', async () => {
    const responses = await opened(first, 3);
    const { settings } = application.services;
    await settings.set(OPERATOR, new Map([['OcraMaxChallenges', '2']]));
    expect(await bySerial(responses[0] ?? '')).toBe(false);
    expect(await bySerial(responses[1] ?? '')).toBe(true);
    await settings.set(OPERATOR, new Map([['OcraMaxChallenges', '4']]));
  });

  it('needs the PIN, and a wrong PIN discloses nothing about the digits', async () => {
    const states: unknown[] = [];
    for (const isRight of [true, false]) {
      await begin({ pin: 'pin' });
      const [right = ''] = await opened(first, 2);
      expect(await bySerial(`nip${isRight ? right : WRONG}`)).toBe(false);
      states.push(await state(first));
      expect(await bySerial(`pin${right}`)).toBe(true);
    }
    expect(states[0]).toEqual(states[1]);
  });

  it.each([
    ['locked', LOCKED, [11, 'open 0', 'open 0 received']],
    ['disabled', { active: false }, [0, 'open 0', 'open 0']],
  ])('changes the same of a %s token, right or wrong, for as much work', async (_, changes, expected) => {
    const work: number[] = [];
    for (const isRight of [true, false]) {
      await begin();
      const [right = ''] = await opened(first, 2);
      await set(first, changes);
      work.push(await workOf(() => bySerial(isRight ? right : WRONG)));
      expect(await state(first)).toEqual(expected);
    }
    expect(work[0]).toBe(work[1]);
  });

  it('costs as much work whichever challenge it is right for; a wrong one also that of the sync window', async () => {
    const work: number[] = [];
    for (const place of [0, 1, 2, 9]) {
      await begin();
      const responses = await opened(first, 3);
      work.push(await workOf(() => bySerial(responses[place] ?? WRONG)));
    }
    expect(work).toEqual([30, 30, 30, 3 * 10 + 1_000 - 10]);
  });

  it('costs as much work with a wrong PIN, right or wrong', async () => {
    const work: number[] = [];
    for (const isRight of [true, false]) {
      await begin();
      const [right = ''] = await opened(first, 2);
      work.push(await workOf(() => bySerial(`x${isRight ? right : WRONG}`)));
    }
    expect(work[0]).toBe(work[1]);
  });
});

describe('a response of a user with several tokens', () => {
  beforeEach(enrolSecond);

  it('counts for one that is not locked, so that guessing behind a locked one has a cost', async () => {
    await opened(first);
    const [right = ''] = await opened(second);
    await set(second, LOCKED);
    expect(await byUser(right)).toBe(false);
    expect(await byUser(WRONG)).toBe(false);
    expect(await state(first)).toEqual([2, 'open 2 received']);
    expect(await state(second)).toEqual([10, 'open 0']);
  });

  it('counts for the newest where all are locked', async () => {
    const [right = ''] = await opened(first);
    await opened(second);
    await set(first, LOCKED);
    await set(second, LOCKED);
    expect(await byUser(right)).toBe(false);
    expect([await failCount(first), await failCount(second)]).toEqual([10, 11]);
  });

  it('verifies the password once, though it is tried on all', async () => {
    const policy = { name: 'pin', scope: 'authentication', action: 'otppin=1', realm: 'staff' };
    await application.services.policies.set(OPERATOR, policy);
    await opened(first);
    const [right = ''] = await opened(second);
    await opened(first);
    const checked = jest.spyOn(UserDirectory.prototype, 'checkPassword');
    expect(await byUser(`geheimnis${right}`)).toBe(true);
    expect(checked).toHaveBeenCalledTimes(1);
    jest.restoreAllMocks();
    await application.services.policies.remove(OPERATOR, 'pin');
  });
});

describe('a wrong pass of a user with tokens that give responses without a challenge', () => {
  const [KEY, WITHIN] = [Buffer.alloc(20, 7), 500];

  async function enrol(serial: string, parameters: Record<string, string>): Promise<void> {
    await application.asAdmin('/admin/init', { serial, user, realm: 'staff', ...parameters });
  }

  /** The fixed text comes first: a wrong PIN is counted for it, too. */
  beforeEach(async () => {
    await enrol(`FIXED${number}`, { type: 'pw', otpkey: 'text', pin: 'fixed' });
    await enrol(`HOTP${number}`, { type: 'hmac', otpkey: KEY.toString('hex'), pin: 'pin' });
  });

  it('costs as much work whichever PIN is right, if any, and with a right response', async () => {
    const right = computeResponse(parseAlgorithm('HOTP-SHA1-6'), KEY, { question: '', counter: 0n });
    const work: number[] = [];
    for (const pass of ['pin000000', 'fixed000000', 'nip000000', `nip${right}`]) {
      work.push(await workOf(() => byUser(pass)));
    }
    expect(work).toEqual([1_000, 1_000, 1_000, 1_000]);
  });

  it('is said to be out of step of each token that may be meant', async () => {
    const second = Buffer.alloc(20, 8);
    await enrol(`OTHER${number}`, { type: 'hmac', otpkey: second.toString('hex'), pin: 'other' });
    const ahead = { question: '', counter: BigInt(WITHIN) };
    for (const [serial, pin, key] of [
      ['HOTP', 'pin', KEY],
      ['OTHER', 'other', second],
    ] as const) {
      await byUser(`${pin}${computeResponse(parseAlgorithm('HOTP-SHA1-6'), key, ahead)}`);
      const [last] = await application.auditRows({ subject: `${serial}${number}` });
      expect(last?.outcome).toBe('wrong, out of step');
    }
  });

  it('takes the locks of the tokens beside an open challenge, whichever PIN is right', async () => {
    await opened(first);
    const ways: unknown[] = [];
    for (const pass of ['pin000000', 'nip000000']) {
      let work = 0;
      const statements = await application.statementsOf(async () => {
        work = await workOf(() => byUser(pass));
      });
      const locking = statements.filter((text) => /from "tokens" .*for no key update$/.test(text));
      ways.push([work, locking.length]);
    }
    expect(ways).toEqual([
      [2_000, 1],
      [2_000, 1],
    ]);
  });
});

describe('a token whose secrets cannot be read', () => {
  const HOTP = { type: 'hmac', otplen: '6' };
  let hotp = '';
  let other = '';
  let right = '';

  /** The user has two HOTP tokens beside the one with an open challenge. */
  beforeEach(async () => {
    [hotp, other] = [`HOTP${number}`, `OTHER${number}`];
    const key = Buffer.alloc(20, 5);
    for (const [serial, otpkey] of [
      [hotp, key],
      [other, Buffer.alloc(20, 6)],
    ] as const) {
      const token = { ...HOTP, serial, otpkey: otpkey.toString('hex'), user, realm: 'staff' };
      await application.asAdmin('/admin/init', token);
    }
    await application.enrolPlain(second, COUNTER, { pin: 'pin' });
    right = computeResponse(parseAlgorithm('HOTP-SHA1-6'), key, { question: '', counter: 0n });
  });

  /** Gives a token a secret that was sealed for another one. */
  async function spoil(serial: string, column: 'seed' | 'pin'): Promise<void> {
    await application.rows(
      `UPDATE tokens SET ${column} = (SELECT ${column} FROM tokens WHERE serial = $2), version = version + 1
       WHERE serial = $1`,
      [serial, second],
    );
  }

  it.each([
    ['HOTP', 'seed'],
    ['HOTP', 'pin'],
    ['OCRA', 'seed'],
    ['OCRA', 'pin'],
  ] as const)(
    'does not block the others, nor let responses be guessed at them: %s, %s',
    async (kind, secret) => {
      await opened(first);
      await spoil(kind === 'HOTP' ? other : first, secret);
      expect(await byUser('000000')).toBe(false);
      expect(await failCount(hotp)).toBe(1);
      expect(await byUser(right)).toBe(true);
    },
  );

  it('does not block an open challenge, and is named in the log, as the fault is hidden from the client', async () => {
    const third = `C${number}`;
    await application.enrolPlain(third, COUNTER, { user, realm: 'staff' });
    const [response = ''] = await opened(first);
    await opened(third);
    await Promise.all([spoil(hotp, 'seed'), spoil(other, 'seed'), spoil(third, 'seed')]);
    expect(await byUser(WRONG)).toBe(false);
    expect([await failCount(first), await failCount(third)]).toEqual([1, 0]);
    for (const serial of [third, hotp]) {
      expect(application.lines).toContainEqual({
        level: 'warn',
        message: 'The secrets of a token cannot be read: no response to it is accepted',
        fields: expect.objectContaining({ serial, faultDetail: `seed of ${serial}` }),
      });
    }
    expect(await byUser(response)).toBe(true);
    expect(await state(third)).toEqual([0, 'open 0']);
  });

  it('is a fault where there is no other', async () => {
    const [response = ''] = await opened(first);
    await Promise.all([spoil(hotp, 'seed'), spoil(other, 'pin'), spoil(first, 'seed')]);
    expect(errorOf(await askByUser(response))).toBe('The key is unavailable');
  });
});
