import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkPin } from '../../../src/tokens/token-settings.ts';
import { type Sealed, type SecretPurpose, SecretVault } from '../../../src/keys/vault.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import type { EnrolmentRequest } from '../../../src/challenges/enrolment/enrolment.ts';
import { callerNamed } from '../../support/values/callers.ts';
import { eventualRefusal } from '../../support/application/eventual-refusal.ts';
import { ANNA, KEY, keyedToken, type OcraHouse, OcraSite, vault } from '../../support/database/ocra-house.ts';
import { ACT, sealedBytes } from '../../support/values/token-values.ts';

const admin = callerNamed('admin');
/** May enrol in the realm alpha only. */
const bound = callerNamed('bound');
const OTPKEY = KEY.toString('hex');
const PLAIN = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const QR = 'OCRA-1:HOTP-SHA256-8:C-QA64';

const site = new OcraSite();
beforeAll(() => site.open());
afterAll(() => site.close());

let house: OcraHouse;

beforeEach(async () => {
  house = await site.house();
});

async function init(request: Omit<EnrolmentRequest, 'type'>, caller = admin): Promise<string> {
  return (await house.enrolment.init(caller, { type: 'ocra', otpkey: OTPKEY, ...request })).serial;
}

function opened(secret: Sealed | null | undefined, purpose: SecretPurpose, serial: string): Buffer {
  if (secret === null || secret === undefined) {
    throw new Error(`no ${purpose}`);
  }
  return vault.open(secret, purpose, serial);
}

describe('enrolment at once', () => {
  it('makes a token that is ready, by the configuration', async () => {
    house = await site.house({
      settings: { DefaultMaxFailCount: '7', DefaultCountWindow: '8', DefaultSyncWindow: '9' },
    });
    const enrolled = await house.enrolment.init(admin, {
      type: 'OCRA2',
      serial: 'T1',
      otpkey: OTPKEY,
      pin: '1234',
      ocrapin: '99',
      description: 'mine',
    });
    expect(enrolled).toEqual({ kind: 'plain', serial: 'T1', otpkey: OTPKEY });
    const token = await house.tokens.findBySerial('T1');
    expect(token).toMatchObject({
      type: 'ocra2',
      active: true,
      failCount: 0,
      maxFail: 7,
      counter: 0n,
      counterWindow: 8,
      syncWindow: 9,
      timeShift: 0,
      ocraSuite: PLAIN,
      rollout: 'complete',
      replayMarkers: [],
      owner: null,
      realms: [],
      description: 'mine',
    });
    const secrets = token?.secrets;
    expect(opened(secrets?.seed, 'seed', 'T1')).toEqual(KEY);
    expect(checkPin(opened(secrets?.pin, 'pin', 'T1'), '1234')).toBe(true);
    expect(opened(secrets?.ocraPin, 'ocra-pin', 'T1').toString()).toBe('99');
    expect([secrets?.sharedSecret, secrets?.nonce]).toEqual([null, null]);
    const act = { ...ACT, actor: 'admin', action: 'admin/init', subject: 'T1' };
    expect(await house.held.acts()).toEqual([{ ...act, outcome: 'created' }]);
  });

  it('without more has no PIN, no owner and no description', async () => {
    await init({ serial: 'T1' });
    const token = await house.tokens.findBySerial('T1');
    expect(token).toMatchObject({ type: 'ocra', owner: null, realms: [], description: '' });
    expect(token?.secrets).toMatchObject({ pin: null, ocraPin: null });
  });

  it('leaves the key to the server with genkey', async () => {
    const enrolled = await house.enrolment.init(admin, { type: 'ocra', serial: 'T1', genkey: '1' });
    expect(enrolled).toMatchObject({ kind: 'plain', otpkey: expect.stringMatching(/^[0-9a-f]{40}$/) });
    const { seed } = (await house.tokens.findBySerial('T1'))?.secrets ?? {};
    expect(enrolled).toMatchObject({ otpkey: opened(seed, 'seed', 'T1').toString('hex') });
  });

  it('gives the token to a user, in the realm where the user was found, or to a realm alone', async () => {
    await init({ serial: 'T1', user: 'anna' });
    await init({ serial: 'T2', user: 'carol', realm: 'BETA' });
    await init({ serial: 'T3', user: '', realm: ' Alpha ' });
    await init({ serial: 'T4', realm: ' ' });
    const given = (await house.tokens.list({})).map(({ owner, realms }) => [owner?.login, realms]);
    expect(given).toEqual([
      ['anna', ['alpha']],
      ['carol', ['beta']],
      [undefined, ['alpha']],
      [undefined, []],
    ]);
    expect((await house.tokens.findBySerial('T1'))?.owner).toEqual(ANNA);
  });

  it.each([
    [{ user: 'nobody' }, 'user.unknown', "There is no user 'nobody'"],
    [{ realm: 'gamma' }, 'realm.unknown', "There is no realm 'gamma'"],
    [
      { serial: 'a b' },
      'parameter.invalid',
      'A serial has 1 to 64 printable ASCII characters, no blank and no *',
    ],
    [
      { ocrasuite: 'x' },
      'suite.invalid',
      "Not an OCRA suite, the algorithm 'x' is wrong: it must be 'OCRA-1'.",
    ],
  ])('is refused for %j', async (request, code, message) => {
    expect(await eventualRefusal(init(request))).toMatchObject({ code, message });
    expect(await house.held.acts()).toEqual([]);
  });

  it('takes the right to it, in one of the realms that the administrator has', async () => {
    expect(await eventualRefusal(init({}, callerNamed('nobody')))).toMatchObject({
      code: 'right.missing',
      payload: { policy: { scope: 'admin', action: 'init' } },
    });
    for (const request of [{}, { realm: 'beta' }, { user: 'carol', realm: 'beta' }]) {
      expect(await eventualRefusal(init(request, bound))).toMatchObject({
        code: 'right.missing',
        message: 'You do not have the administrative right to init tokens in this realm',
      });
    }
    await init({ serial: 'T1', realm: 'alpha' }, bound);
    await init({ serial: 'T2', user: 'anna' }, bound);
    expect(await house.held.acts()).toHaveLength(2);
  });
});

it.each([
  ['init', true],
  ['show', false],
])('the right to %s lets enrol: %s', async (action, may) => {
  house = await site.house({
    policies: [{ name: 'one', scope: 'admin', action, realm: '*', user: 'helper' }],
  });
  const serial = init({ serial: 'T1' }, callerNamed('helper')).catch((error: unknown) => error);
  expect((await serial) === 'T1').toBe(may);
});

describe('the first phase of a roll-out', () => {
  it('gives a shared secret that is no key yet, as an URL too', async () => {
    house = await site.house({ settings: { OcraDefaultSuite: 'OCRA-1:HOTP-SHA1-6:QN08' } });
    const request = { type: 'ocra', serial: 'T1', otpkey: OTPKEY, sharedsecret: '1' };
    expect(await house.enrolment.init(admin, request)).toEqual({
      kind: 'phase1',
      serial: 'T1',
      sharedSecret: OTPKEY,
      appImport: `lseqr://init?sh=${OTPKEY}&os=OCRA-1%3AHOTP-SHA256-8%3AC-QA64&se=T1`,
    });
    const token = await house.tokens.findBySerial('T1');
    expect(token).toMatchObject({ active: false, rollout: 'phase1', ocraSuite: QR });
    expect(token?.secrets).toMatchObject({ seed: null, nonce: null });
    expect(opened(token?.secrets.sharedSecret, 'shared-secret', 'T1')).toEqual(KEY);
    expect(await init({ serial: 'T2' })).toBe('T2');
    expect((await house.tokens.findBySerial('T2'))?.ocraSuite).toBe('OCRA-1:HOTP-SHA1-6:QN08');
  });
});

describe('a serial that the server makes', () => {
  it('is in the shape of LinOTP’s', async () => {
    const serials = [await init({}), await init({ serial: '' })];
    expect(serials.every((serial) => /^OCRA\d{4}[0-9A-F]{4}$/.test(serial))).toBe(true);
    expect(serials[0]).toMatch(/^OCRA000/);
    const acts = (await house.held.acts()).map(({ action }) => action);
    expect(acts).toEqual(['admin/init', 'admin/init']);
    expect(serials[0]).not.toBe(serials[1]);
    for (let count = 0; count < 20; count += 1) {
      serials.push(await init({}));
    }
    expect(serials.filter((serial) => !/^OCRA\d{4}[0-9A-F]{4}$/.test(serial))).toEqual([]);
    expect(serials.some((serial) => /[A-F]$/.test(serial))).toBe(true);
  });

  it('is another one where it is taken; after eight there is none', async () => {
    const insert = house.tokens.insert.bind(house.tokens);
    const tried: string[] = [];
    let refusals = 7;
    house.tokens.insert = async (token, act) => {
      tried.push(token.serial);
      return (refusals -= 1) >= 0
        ? Promise.reject(new ServiceError('token.exists', 'taken'))
        : insert(token, act);
    };
    expect(await init({})).toBe(tried[7]);
    expect(new Set(tried).size).toBe(8);
    refusals = 100;
    expect(await eventualRefusal(init({}))).toMatchObject({
      code: 'internal',
      message: 'No free serial was found',
    });
    expect(tried).toHaveLength(16);
  });

  it('is not sought again where storing fails for another reason', async () => {
    let attempts = 0;
    house.tokens.insert = () => {
      attempts += 1;
      return Promise.reject(new ServiceError('realm.unknown', 'gone'));
    };
    expect((await eventualRefusal(init({}))).code).toBe('realm.unknown');
    expect(attempts).toBe(1);
  });
});

describe('enrolling anew', () => {
  const used = { counter: 9n, replayMarkers: ['8:x'], failCount: 3, owner: ANNA, realms: ['alpha'] };

  it('with the same key keeps counter, spent responses, owner and realms', async () => {
    house = await site.house({ tokens: [keyedToken('T1', used)] });
    await house.tokens.update('T1', { syncMarker: '12:x', description: 'old' }, ACT);
    await init({ serial: 'T1', ocrasuite: QR, description: 'new' });
    expect(await house.held.acts()).toMatchObject([{ ...ACT, actor: 'admin', action: 'admin/init' }]);
    expect(await house.tokens.findBySerial('T1')).toMatchObject({
      counter: 9n,
      replayMarkers: ['8:x'],
      owner: ANNA,
      realms: ['alpha'],
      syncMarker: null,
      failCount: 0,
      description: 'new',
    });
  });

  it.each([
    ['another key', { otpkey: 'ab'.repeat(32), ocrasuite: QR }],
    ['another suite', { ocrasuite: PLAIN }],
  ])('with %s begins at the beginning', async (_, request) => {
    house = await site.house({ tokens: [keyedToken('T1', used)] });
    await init({ serial: 'T1', ...request });
    expect(await house.tokens.findBySerial('T1')).toMatchObject({
      counter: 0n,
      replayMarkers: [],
      owner: ANNA,
      realms: ['alpha'],
    });
  });

  it.each<[string, Sealed | null]>([
    ['has no key', null],
    ['has a key that nobody can open', sealedBytes('nonsense')],
  ])('a token that %s begins at the beginning', async (_, seed) => {
    const secrets = { seed, sharedSecret: null, nonce: null, pin: null, ocraPin: null };
    house = await site.house({ tokens: [keyedToken('T1', { ...used, secrets })] });
    await init({ serial: 'T1', ocrasuite: QR });
    const token = await house.tokens.findBySerial('T1');
    expect(token).toMatchObject({ counter: 0n, replayMarkers: [] });
    expect(opened(token?.secrets.seed, 'seed', 'T1')).toEqual(KEY);
  });

  it('is refused where the key that the token has is sealed with one that this server lacks', async () => {
    const other = new SecretVault({ keys: [Buffer.alloc(32, 8)], random: systemRandom });
    const seed = other.seal(KEY, 'seed', 'T1');
    const secrets = { seed, sharedSecret: null, nonce: null, pin: null, ocraPin: null };
    house = await site.house({ tokens: [keyedToken('T1', { ...used, secrets })] });
    expect((await eventualRefusal(init({ serial: 'T1', ocrasuite: QR }))).code).toBe('key.unavailable');
    expect(await house.tokens.findBySerial('T1')).toMatchObject({ counter: 9n, secrets: { seed } });
  });

  it('gives the token to the owner in the request', async () => {
    house = await site.house({ tokens: [keyedToken('T1', used), keyedToken('T2', used)] });
    await init({ serial: 'T1', user: 'carol', realm: 'beta' });
    await init({ serial: 'T2', realm: 'beta' });
    expect(await house.tokens.list({})).toMatchObject([
      { owner: { login: 'carol' }, realms: ['beta'] },
      { owner: ANNA, realms: ['beta'] },
    ]);
  });

  it('takes the right for the realms that it has and for those that it gets', async () => {
    house = await site.house({
      tokens: [
        keyedToken('A1', { realms: ['alpha', 'beta'] }),
        keyedToken('B1', { realms: ['beta'] }),
        keyedToken('A2', { realms: ['alpha'] }),
        keyedToken('N1'),
      ],
    });
    for (const request of [
      { serial: 'A1' },
      { serial: 'B1' },
      { serial: 'B1', realm: 'alpha' },
      { serial: 'A2', realm: 'beta' },
      { serial: 'N1' },
      { serial: 'N1', realm: 'alpha' },
    ]) {
      expect((await eventualRefusal(init(request, bound))).code).toBe('right.missing');
    }
    expect(await house.held.acts()).toEqual([]);
    await init({ serial: 'A1', realm: 'alpha' }, bound);
    await init({ serial: 'A2' }, bound);
  });

  it('is refused for a token of another type, and for one that has just gone', async () => {
    house = await site.house({ tokens: [keyedToken('H1', { type: 'hmac' }), keyedToken('T1')] });
    expect(await eventualRefusal(init({ serial: 'H1' }))).toMatchObject({
      code: 'token.exists',
      message: "A token of another type has the serial 'H1'",
    });
    house.tokens.update = () => Promise.resolve(undefined);
    expect(await eventualRefusal(init({ serial: 'T1' }))).toMatchObject({
      code: 'token.unknown',
      message: "No token found with the serial 'T1'",
    });
  });
});
