import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkPin } from '../../../src/tokens/token-settings.ts';
import type { NewToken } from '../../../src/tokens/token.ts';
import type { Sealed, SecretPurpose } from '../../../src/keys/vault.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import type { Enrolled, EnrolmentRequest } from '../../../src/challenges/enrolment/enrolment.ts';
import { deriveTokenKey } from '../../../src/ocra/key-derivation.ts';
import { parseQrTanUrl, verifyQrTanSignature } from '../../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { callerNamed } from '../../support/values/callers.ts';
import { eventualRefusal } from '../../support/application/eventual-refusal.ts';
import {
  ANNA,
  beforeIssue,
  BERND,
  CAROL,
  keyedToken,
  type OcraHouse,
  OcraSite,
  vault,
} from '../../support/database/ocra-house.ts';
import { ACT } from '../../support/values/token-values.ts';

const admin = callerNamed('admin');
const bound = callerNamed('bound');
const SECRET = Buffer.alloc(20, 6);
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');
const CODE = 'GEZDGNBVGY3TQOJQ01';

const site = new OcraSite();
beforeAll(() => site.open());
afterAll(() => site.close());

let house: OcraHouse;

beforeEach(async () => {
  house = await site.house({
    tokens: [
      inRollout('A1', { owner: ANNA, realms: ['alpha'], failCount: 4, counter: 5n, replayMarkers: ['4:x'] }),
      keyedToken('A2', { owner: ANNA, realms: ['alpha'] }),
      inRollout('B1', { owner: BERND, realms: ['alpha'] }),
      inRollout('B2', { owner: BERND, realms: ['beta'] }),
      inRollout('H1', { type: 'hmac' }),
      inRollout('N1', { ocraSuite: null }),
    ],
    policies: [
      { name: 'url', scope: 'authentication', action: 'qrtanurl=https://a.example/', realm: 'alpha' },
    ],
  });
});

function inRollout(serial: string, changes: Partial<NewToken> = {}): NewToken {
  const sharedSecret = vault.seal(SECRET, 'shared-secret', serial);
  const secrets = { seed: null, sharedSecret, nonce: null, pin: null, ocraPin: null };
  return keyedToken(serial, { rollout: 'phase1', active: false, ...changes, secrets });
}

async function phase2(
  request: EnrolmentRequest,
  caller = admin,
): Promise<Extract<Enrolled, { kind: 'phase2' }>> {
  const enrolled = await house.enrolment.init(caller, { type: 'ocra', activationcode: CODE, ...request });
  if (enrolled.kind !== 'phase2') {
    throw new Error(enrolled.kind);
  }
  return enrolled;
}

function opened(secret: Sealed | null | undefined, purpose: SecretPurpose): Buffer {
  if (secret === null || secret === undefined) {
    throw new Error(`no ${purpose}`);
  }
  return vault.open(secret, purpose, 'A1');
}

describe('the second phase of a roll-out', () => {
  it('derives the key that the app derives, and issues a first challenge', async () => {
    const started = await phase2({ serial: 'A1', message: 'Hi you', pin: '1', ocrapin: '2' });
    expect(started).toMatchObject({ kind: 'phase2', serial: 'A1', callbackUrl: 'https://a.example/' });
    expect(started.nonce).toMatch(/^[0-9a-f]{128}$/);
    const key = await deriveTokenKey({
      sharedSecret: SECRET,
      activationCode: CODE,
      nonce: Buffer.from(started.nonce, 'hex'),
    });
    const { transactionId, question } = started;
    expect(question).toMatch(/^Hiyou0000/);
    expect(parseQrTanUrl(started.appImport)).toEqual({
      kind: 'nonce',
      message: 'Hi you',
      callbackUrl: 'https://a.example/',
      question,
      transactionId,
      nonce: Buffer.from(started.nonce, 'hex'),
      serial: 'A1',
      signature: started.signature,
    });
    expect(started.signature).toMatch(/^[0-9a-f]{64}$/);
    expect(verifyQrTanSignature(SUITE, key, started.appImport)).toBe(true);
    const token = await house.tokens.findBySerial('A1');
    expect(token).toMatchObject({
      active: true,
      rollout: 'phase2',
      failCount: 0,
      counter: 0n,
      replayMarkers: [],
      syncMarker: null,
    });
    const secrets = token?.secrets;
    expect(opened(secrets?.seed, 'seed')).toEqual(key);
    expect(opened(secrets?.nonce, 'nonce').toString('hex')).toBe(started.nonce);
    expect(checkPin(opened(secrets?.pin, 'pin'), '1')).toBe(true);
    expect(opened(secrets?.ocraPin, 'ocra-pin').toString()).toBe('2');
    expect(await house.ocra.status(admin, { serial: 'A1' })).toMatchObject([
      { transactionId, dropped: false },
    ]);
    expect(await house.held.acts()).toMatchObject([
      { ...ACT, actor: 'admin', action: 'admin/init', subject: 'A1', outcome: 'issued' },
    ]);
  });

  it('without message and PINs leaves them out, and keeps those of the first phase', async () => {
    const pin = vault.seal(Buffer.from('kept'), 'pin', 'A1');
    await house.tokens.update('A1', { secrets: { pin, ocraPin: pin } }, ACT);
    const { appImport } = await phase2({ user: 'anna', ocrapin: '' });
    expect(parseQrTanUrl(appImport)).toMatchObject({ message: undefined });
    expect(await house.challenges.find({ serial: 'A1' })).toMatchObject([{ challenge: { data: '' } }]);
    expect((await house.tokens.findBySerial('A1'))?.secrets).toMatchObject({ pin, ocraPin: pin });
  });

  it.each([
    [{ serial: 'X' }, 'token.unknown', "No token found with the serial 'X'"],
    [{ serial: 'A1', user: 'bernd' }, 'token.unknown', "No token found with the serial 'A1'"],
    [{ serial: 'A2' }, 'token.state', "The token 'A2' is not in roll-out: it has no shared secret"],
    [{ serial: 'H1' }, 'token.state', "The token 'H1' is not in roll-out: it has no shared secret"],
    [{ serial: 'N1' }, 'token.state', "The token 'N1' is not in roll-out: it has no shared secret"],
    [{ user: 'carol', realm: 'beta' }, 'token.unknown', "The user 'carol' has no token in roll-out"],
    [{ user: 'bernd' }, 'token.ambiguous', "Multiple tokens found in roll-out state: 'B1', 'B2'"],
    [{}, 'parameter.missing', 'No token is named: neither a user nor a serial is given'],
    [
      { serial: 'A1', activationcode: 'GEZDGNBVGY3TQOJQ02' },
      'activation-code.invalid',
      'The activation code is wrong: its checksum is wrong, so something is mistyped.',
    ],
    [
      { serial: 'A1', activationcode: '' },
      'activation-code.invalid',
      'The activation code is wrong: it is too short.',
    ],
  ])('is refused for %j', async (request, code, message) => {
    expect(await eventualRefusal(phase2(request))).toMatchObject({ code, message });
    expect(await house.held.acts()).toEqual([]);
  });

  it('passes over tokens that are complete, or have no shared secret', async () => {
    await house.tokens.update('B2', { rollout: 'complete' }, ACT);
    expect((await phase2({ user: 'bernd' })).serial).toBe('B1');
    await house.tokens.update('A1', { secrets: { sharedSecret: null } }, ACT);
    expect(await eventualRefusal(phase2({ user: 'anna' }))).toMatchObject({
      code: 'token.unknown',
      message: "The user 'anna' has no token in roll-out",
    });
  });

  it('is not begun again after another failure than a token that has changed', async () => {
    let attempts = 0;
    house.issues.issue = () => {
      attempts += 1;
      return Promise.reject(new ServiceError('token.unknown', 'gone'));
    };
    expect((await eventualRefusal(phase2({ serial: 'A1' }))).message).toBe('gone');
    expect(attempts).toBe(1);
  });

  it('names the tokens among which it cannot choose', async () => {
    expect((await eventualRefusal(phase2({ user: 'bernd' }))).payload).toEqual({
      login: 'bernd',
      serials: ['B1', 'B2'],
    });
  });

  it('ignores tokens that the administrator may not see', async () => {
    expect((await phase2({ user: 'bernd' }, bound)).serial).toBe('B1');
    expect(await eventualRefusal(phase2({ serial: 'B2' }, bound))).toMatchObject({
      code: 'right.missing',
      message: 'You do not have the administrative right to init tokens in this realm',
    });
    await house.tokens.update('A1', { owner: CAROL, realms: ['beta'] }, ACT);
    expect((await eventualRefusal(phase2({ user: 'carol', realm: 'beta' }, bound))).code).toBe(
      'token.unknown',
    );
  });
});

describe('a shared secret that changes meanwhile', () => {
  /** Seals what it is told just before the challenge is stored, `times` times. */
  function meanwhile(secret: Buffer | null, times = 1): void {
    let left = times;
    beforeIssue(house, async () => {
      if ((left -= 1) >= 0) {
        const sharedSecret = secret && vault.seal(secret, 'shared-secret', 'A1');
        await house.tokens.update('A1', { secrets: { sharedSecret } }, ACT);
      }
    });
  }

  it('only in its sealing does not disturb', async () => {
    meanwhile(SECRET);
    expect((await phase2({ serial: 'A1' })).serial).toBe('A1');
    expect((await house.tokens.findBySerial('A1'))?.rollout).toBe('phase2');
  });

  it.each([
    ['to another one', Buffer.alloc(20, 8), 1],
    ['again and again', SECRET, 2],
  ])('%s is reported', async (_, secret, times) => {
    meanwhile(secret, times);
    expect(await eventualRefusal(phase2({ serial: 'A1' }))).toMatchObject({
      code: 'token.state',
      message: 'The token has left this roll-out meanwhile, has changed hands or realms, or has been removed',
    });
    expect((await house.tokens.findBySerial('A1'))?.rollout).toBe('phase1');
  });

  it('to none is reported', async () => {
    meanwhile(null);
    expect(await eventualRefusal(phase2({ serial: 'A1' }))).toMatchObject({ code: 'token.state' });
  });

  it('of a token that takes the place of the intended one is reported', async () => {
    let isFirst = true;
    beforeIssue(house, async () => {
      if (isFirst) {
        isFirst = false;
        const sharedSecret = vault.seal(SECRET, 'shared-secret', 'A1');
        await house.tokens.update('A1', { secrets: { sharedSecret } }, ACT);
        const find = house.tokens.findBySerial.bind(house.tokens);
        house.tokens.findBySerial = async (serial) => {
          const token = await find(serial);
          return token && { ...token, id: '99' };
        };
      }
    });
    expect((await eventualRefusal(phase2({ serial: 'A1' }))).code).toBe('token.state');
  });
});
