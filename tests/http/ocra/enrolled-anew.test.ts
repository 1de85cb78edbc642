import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { applicationOfTests, OPERATOR } from '../../support/application/test-application.ts';
import { whileHeld, WRITING_A_TOKEN, untilWaiting } from '../../support/database/held-statement.ts';
import { eventualRefusal } from '../../support/values/refusal.ts';
import { callerNamed } from '../../support/values/callers.ts';
import { type Sealed, Vault } from '../../../src/keys/vault.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { type Database, openDatabase } from '../../../src/database/database.ts';

const DATA = '12345678';
const ZERO = Buffer.of(0);
const counterSuite = (hash: string): string => `OCRA-1:HOTP-${hash}-8:C-QN08`;
const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => at + 1));
const hashed = (hash: string, key: Buffer): Buffer => createHash(hash).update(key).digest();

let operator: Database;
afterAll(() => operator.close());
const application = applicationOfTests();
let serial: string;
let number = 0;

beforeAll(async () => {
  operator = openDatabase({ connection: application.databaseUrl, poolSize: 3, applicationName: 'rotation' });
  await application.addRealm('bank');
  await application.setPolicy('url', 'authentication', 'qrtanurl=https://bank.example/ocra/check_t');
});
beforeEach(() => {
  number += 1;
  serial = `ANEW${number}`;
});

async function init(key: Buffer, ocrasuite: string, more: Record<string, string> = {}): Promise<void> {
  const { body } = (await application.asAdmin('/admin/init', {
    type: 'ocra',
    serial,
    otpkey: key.toString('hex'),
    ocrasuite,
    ...more,
  })) as { body: { result: { status: boolean } } };
  expect(body.result.status).toBe(true);
}

async function answer(suite: string, key: Buffer, counter: bigint): Promise<unknown> {
  const { transactionid } = await application.challenge(serial, DATA);
  return application.check(transactionid, application.respond(suite, DATA, { key, counter }));
}

const shown = () => application.services.tokens.show(OPERATOR, serial);

describe('a token that is enrolled anew with another spelling of its key', () => {
  it.each([
    ['K and K followed by a zero', 'SHA256', bytes(32), Buffer.concat([bytes(32), ZERO])],
    ['K followed by zeros and K', 'SHA1', Buffer.concat([bytes(20), Buffer.alloc(44)]), bytes(20)],
    [
      'K and K filled up to a block of SHA-512',
      'SHA512',
      bytes(64),
      Buffer.concat([bytes(64), Buffer.alloc(64)]),
    ],
    ['a long key and its SHA-256', 'SHA256', bytes(65), hashed('sha256', bytes(65))],
    ['the SHA-1 of a long key and that key', 'SHA1', hashed('sha1', bytes(128)), bytes(128)],
    [
      'a long key and its SHA-256 followed by zeros',
      'SHA256',
      bytes(100),
      Buffer.concat([hashed('sha256', bytes(100)), ZERO, ZERO]),
    ],
  ])('refuses a spent response, and counts on: %s', async (_, hash, first, second) => {
    const suite = counterSuite(hash);
    await init(first, suite);
    expect(await answer(suite, first, 3n)).toEqual({ failcount: 0, result: true });
    await init(second, suite);
    expect((await shown()).counter).toBe(4n);
    expect(await answer(suite, second, 3n)).toEqual({ failcount: 1, result: false });
    expect(await answer(suite, second, 4n)).toEqual({ failcount: 0, result: true });
  });

  it('counts on after a roll-out that was begun with the same key as shared secret', async () => {
    const suite = counterSuite('SHA256');
    const spelt = Buffer.concat([bytes(32), ZERO]);
    await init(bytes(32), suite);
    expect(await answer(suite, bytes(32), 3n)).toEqual({ failcount: 0, result: true });
    await init(spelt, suite, { sharedsecret: '1' });
    await init(bytes(32), suite);
    expect(await answer(suite, bytes(32), 3n)).toEqual({ failcount: 1, result: false });
  });
});

describe('a token that is enrolled anew with a key that is another one to HMAC', () => {
  it.each([
    ['a zero in front', 'SHA256', bytes(32), Buffer.concat([ZERO, bytes(32)])],
    ['the SHA-256 of a key of one block', 'SHA256', bytes(64), hashed('sha256', bytes(64))],
    [
      'the SHA-512 of a key that is no longer than a block of SHA-512',
      'SHA512',
      bytes(128),
      hashed('sha512', bytes(128)),
    ],
    ['the SHA-1 of a long key, for SHA-256', 'SHA256', bytes(65), hashed('sha1', bytes(65))],
  ])('begins to count anew: %s', async (_, hash, first, second) => {
    const suite = counterSuite(hash);
    await init(first, suite);
    expect(await answer(suite, first, 3n)).toEqual({ failcount: 0, result: true });
    await init(second, suite);
    expect((await shown()).counter).toBe(0n);
    expect(await answer(suite, second, 0n)).toEqual({ failcount: 0, result: true });
  });

  it('begins to count anew: the same key, another suite', async () => {
    await init(bytes(20), counterSuite('SHA1'));
    expect(await answer(counterSuite('SHA1'), bytes(20), 3n)).toEqual({ failcount: 0, result: true });
    await init(Buffer.concat([bytes(20), ZERO]), counterSuite('SHA256'));
    expect((await shown()).counter).toBe(0n);
  });
});

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const KEY = Buffer.alloc(32, 0xaa);
const NEW_KEY = { otpkey: KEY.toString('hex') };

const answerByNewKey = (counter: bigint) => answer(SUITE, KEY, counter);

describe('two enrolments with the same new key', () => {
  beforeEach(() => application.enrolPlain(serial, SUITE));

  it('accept a response once, though it is accepted between them', async () => {
    await whileHeld(
      WRITING_A_TOKEN,
      () => application.enrolPlain(serial, SUITE, NEW_KEY),
      async () => {
        await application.enrolPlain(serial, SUITE, NEW_KEY);
        expect(await answerByNewKey(4n)).toEqual({ failcount: 0, result: true });
      },
    );
    expect((await shown()).counter).toBe(5n);
    expect(await answerByNewKey(4n)).toEqual({ failcount: 1, result: false });
    expect(await answerByNewKey(5n)).toEqual({ failcount: 0, result: true });
  });

  it('begin to count anew where the key was another between them', async () => {
    await whileHeld(
      WRITING_A_TOKEN,
      () => application.enrolPlain(serial, SUITE),
      async () => {
        await application.enrolPlain(serial, SUITE, NEW_KEY);
        expect(await answerByNewKey(4n)).toEqual({ failcount: 0, result: true });
      },
    );
    expect((await shown()).counter).toBe(0n);
  });
});

describe('a token whose roll-out begins while it is being enabled', () => {
  beforeEach(() => application.enrolPlain(serial, SUITE));

  const enable = {
    'by its serial': () =>
      application.asAdmin('/admin/enable', { serial }).then(({ body }) => body as unknown),
    'at the command line': () =>
      application.services.tokens.enable(OPERATOR, { serial }).catch((error: unknown) => String(error)),
  };

  it.each(Object.entries(enable))('%s stays disabled until it has its key', async (_how, enabling) => {
    await application.services.tokens.disable(OPERATOR, { serial });
    const reported = await whileHeld(WRITING_A_TOKEN, enabling, () =>
      application.services.enrolment.init(OPERATOR, { type: 'ocra', serial, genkey: '1', sharedsecret: '1' }),
    );
    expect(JSON.stringify(reported)).toContain('is not finished: it cannot be enabled');
    expect(await shown()).toMatchObject({ rollout: 'phase1', active: false });
  });
});

const CODE = 'GEZDGNBVGY3TQOJQ01';
const bound = callerNamed('bound');
const restricted = applicationOfTests();

beforeAll(async () => {
  await restricted.addRealm('north', ['ann']);
  await restricted.addRealm('south');
  await restricted.setPolicy('bound', 'admin', 'init', { realm: 'north', user: 'bound' });
});

async function inRollout(serial: string, realm: string): Promise<void> {
  const { enrolment, tokens } = restricted.services;
  await enrolment.init(OPERATOR, {
    type: 'ocra',
    genkey: '1',
    sharedsecret: '1',
    serial,
    user: 'ann',
    realm: 'north',
  });
  await tokens.setRealms(OPERATOR, { serial, realms: [realm] });
}

const phase2 = (reference: { serial?: string; user?: string }): Promise<unknown> =>
  restricted.services.enrolment.init(bound, {
    type: 'ocra',
    genkey: '1',
    activationcode: CODE,
    realm: 'north',
    ...reference,
  });

describe('an administrator who is bound to a realm', () => {
  it('takes only tokens of that realm to phase 2, and learns of no others', async () => {
    await inRollout('HIDDEN1', 'south');
    await inRollout('HIDDEN2', 'south');
    const { code, message } = await eventualRefusal(phase2({ user: 'ann' }));
    expect([code, message]).toEqual(['token.unknown', "The user 'ann' has no token in roll-out"]);
    expect((await eventualRefusal(phase2({ serial: 'HIDDEN1' }))).code).toBe('right.missing');
    await inRollout('SHOWN', 'north');
    expect(await phase2({ user: 'ann' })).toMatchObject({ kind: 'phase2', serial: 'SHOWN' });
  });

  it.each([
    ['names the own realm', { realm: 'north' }],
    ['names a user of the own realm', { user: 'ann', realm: 'north' }],
  ])('leaves a token that is enrolled anew in the realms of others: %s', async (_, named) => {
    const { enrolment, tokens } = restricted.services;
    for (const [serial, before, after] of [
      ['BOTH', ['north', 'south'], ['north', 'south']],
      ['OWN', ['north'], ['north']],
    ] as const) {
      await restricted.enrolPlain(serial, SUITE);
      await tokens.setRealms(OPERATOR, { serial, realms: before });
      await enrolment.init(bound, { type: 'ocra', genkey: '1', serial, ...named });
      expect((await tokens.show(OPERATOR, serial)).realms).toEqual(after);
    }
  });

  it('needs the right for the realms that the token has and for those that it gets', async () => {
    const { enrolment, tokens } = restricted.services;
    for (const [serial, realms] of [
      ['RIGHT1', ['north', 'south']],
      ['RIGHT2', ['south']],
      ['RIGHT3', ['north']],
      ['RIGHT4', []],
    ] as const) {
      await restricted.enrolPlain(serial, SUITE);
      await tokens.setRealms(OPERATOR, { serial, realms });
    }
    for (const named of [
      { serial: 'RIGHT1' },
      { serial: 'RIGHT2', realm: 'north' },
      { serial: 'RIGHT3', realm: 'south' },
      { serial: 'RIGHT4', realm: 'north' },
    ]) {
      const refused = enrolment.init(bound, { type: 'ocra', genkey: '1', ...named });
      expect((await eventualRefusal(refused)).code).toBe('right.missing');
    }
  });
});

it('an administrator of all realms puts a token that is enrolled anew into the realm named, and no other', async () => {
  await restricted.enrolPlain('ALL', SUITE);
  await restricted.services.tokens.setRealms(OPERATOR, { serial: 'ALL', realms: ['north', 'south'] });
  await restricted.enrolPlain('ALL', SUITE, { realm: 'north' });
  expect((await restricted.services.tokens.show(OPERATOR, 'ALL')).realms).toEqual(['north']);
});

const SERIAL = 'ROLL1';
/** As the test application's. */
const vault = new Vault({ keys: [Buffer.alloc(32, 7)], random: systemRandom });

const rollOut = async (more: Record<string, string>): Promise<unknown> => {
  const given = { type: 'ocra', serial: SERIAL, genkey: '1', tokenrealm: 'bank', ...more };
  return ((await application.asAdmin('/admin/init', given)).body as { result: unknown }).result;
};

/** Between the look at the token and the write, of `work` that has begun. */
async function whileChanging<T>(
  { serial, column }: { serial: string; column: 'shared_secret' | 'seed' },
  work: () => Promise<T>,
  change: (sealed: Sealed) => Sealed,
): Promise<T> {
  const changing = await operator.knex.transaction();
  const row = await changing('tokens')
    .where({ serial })
    .forUpdate()
    .first<Record<typeof column, Sealed>>(column);
  const running = work();
  await untilWaiting(operator);
  await changing('tokens')
    .where({ serial })
    .update({ [column]: change(row[column]) });
  await changing.commit();
  return running;
}

const phase2While = (change: (sealed: Sealed) => Sealed): Promise<unknown> =>
  whileChanging(
    { serial: SERIAL, column: 'shared_secret' },
    () => rollOut({ activationcode: 'GEZDGNBVGY3TQOJQ01', message: 'Welcome' }),
    change,
  );

describe('the second phase of a roll-out', () => {
  it('goes on when the shared secret is sealed anew meanwhile, as a change of the key does', async () => {
    expect(await rollOut({ sharedsecret: '1' })).toMatchObject({ value: true });
    const result = await phase2While((sealed) =>
      vault.seal(vault.open(sealed, 'shared-secret', SERIAL), 'shared-secret', SERIAL),
    );
    expect(result).toMatchObject({ status: true, value: true });
  });

  it('is refused when the token has another shared secret meanwhile', async () => {
    const result = await phase2While(() => vault.seal(Buffer.alloc(32, 9), 'shared-secret', SERIAL));
    expect(JSON.stringify(result)).toContain('has left this roll-out meanwhile');
  });
});

it('a challenge is requested while the key is resealed', async () => {
  const serial = 'PLAIN1';
  await application.enrolPlain(serial, SUITE);
  const { transactionid } = await whileChanging(
    { serial, column: 'seed' },
    () => application.challenge(serial, '12345678'),
    (sealed) => vault.seal(vault.open(sealed, 'seed', serial), 'seed', serial),
  );
  const pass = application.respond(SUITE, '12345678');
  expect(await application.check(transactionid, pass)).toEqual({ failcount: 0, result: true });
});
