import { describe, expect, it } from '@jest/globals';
import { respond, awaitedToken, openActivation, startRollOut } from '../../src/device/challenge.ts';
import { type DeviceToken, findToken, putToken, removeToken } from '../../src/device/device-token.ts';
import { readCode } from '../../src/device/read-code.ts';
import { computeResponse } from '../../src/ocra/compute.ts';
import { buildInitUrl, buildNonceUrl, type QrTanUrl } from '../../src/ocra/qrtan-url.ts';
import type { Issuer } from '../../src/ocra/issuer.ts';
import { deriveTokenKey } from '../../src/ocra/key-derivation.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { issuerLogo } from '../support/values/qr-code.ts';
import { refusalOf } from '../support/values/refusal.ts';

const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');
const SECRET = Buffer.from('12345678901234567890');
const CODE = 'GEZDGNBVGY3TQOJQ01';
const NONCE = Buffer.alloc(64, 7);
const NOW = new Date('2026-11-20T12:00:00Z');
const CHALLENGE = {
  message: 'Hi',
  callbackUrl: 'https://tan.example/ocra/check_t',
  question: 'abc0000XYZ',
  transactionId: 'ff00',
};
const key = Buffer.from(await deriveTokenKey({ sharedSecret: SECRET, activationCode: CODE, nonce: NONCE }));
const nonceCode = buildNonceUrl(SUITE, key, { ...CHALLENGE, nonce: NONCE, serial: 'OCRA1' });

function init(
  given: { sharedSecret?: Uint8Array; suite?: string; serial?: string } = {},
): Extract<QrTanUrl, { kind: 'init' }> {
  const url = readCode(buildInitUrl({ sharedSecret: SECRET, suite: SUITE.text, serial: 'OCRA1', ...given }));
  if (url.kind !== 'init') {
    throw new Error('not a first code');
  }
  return url;
}

function nonce(text: string): Extract<QrTanUrl, { kind: 'nonce' }> {
  const url = readCode(text);
  if (url.kind !== 'nonce') {
    throw new Error('not a second code');
  }
  return url;
}

const { token: waiting } = startRollOut([], init());

describe('phase 1 of the roll-out', () => {
  it('makes a token that waits for its key', () => {
    expect(startRollOut([], init())).toEqual({
      token: {
        serial: 'OCRA1',
        suite: SUITE.text,
        key: null,
        counter: '0',
        sharedSecret: SECRET.toString('hex'),
      },
      replaced: false,
    });
  });

  it('leaves the token as it is when its code is read again, key and counter included', () => {
    const ready = { ...waiting, key: 'aa', counter: '7' };
    expect(startRollOut([ready], init({ serial: 'ocra1' }))).toEqual({ token: ready, replaced: false });
  });

  it.each([{ sharedSecret: Buffer.alloc(20, 1) }, { suite: 'OCRA-1:HOTP-SHA1-6:QN08' }])(
    'says when another token is lost by it: %o',
    (given) => {
      expect(startRollOut([waiting], init(given))).toMatchObject({
        replaced: true,
        token: { key: null, counter: '0' },
      });
    },
  );

  it.each([16, 20, 32, 64, 128])('takes a secret of %i bytes', (length) => {
    const { token } = startRollOut([], init({ sharedSecret: Buffer.alloc(length, 1) }));
    expect(token.sharedSecret).toHaveLength(2 * length);
  });

  it.each([1, 15, 129])('refuses a secret of %i bytes', (length) => {
    const error = refusalOf(() => startRollOut([], init({ sharedSecret: Buffer.alloc(length, 1) })));
    expect(error).toMatchObject({ code: 'qrtan-url.invalid', payload: { fault: 'secret-length' } });
  });

  it.each(['S'.repeat(201), 'OCRA\n1', 'OCRA\u202e1', 'OCRA\u200b1'])('refuses the serial %j', (serial) => {
    const error = refusalOf(() => startRollOut([], init({ serial })));
    expect(error).toMatchObject({ code: 'qrtan-url.invalid', payload: { fault: 'malformed' } });
  });

  it('refuses a code without a serial, and one with another suite than the RFC has', () => {
    for (const code of [
      `lseqr://init?sh=${'00'.repeat(20)}&os=x`,
      `lseqr://init?sh=${'00'.repeat(20)}&os=x&se=`,
    ]) {
      const url = readCode(code);
      expect(url.kind === 'init' && refusalOf(() => startRollOut([], url))).toMatchObject({
        payload: { fault: 'serial-missing' },
      });
    }
    expect(refusalOf(() => startRollOut([], init({ suite: 'OCRA-1:HOTP-MD5-8:QA64' }))).code).toBe(
      'suite.invalid',
    );
  });
});

describe('phase 2 of the roll-out', () => {
  const activate = (tokens: readonly DeviceToken[], text = nonceCode, code = CODE) =>
    openActivation(tokens, nonce(text), text, code);

  it('derives the key, and opens the first challenge', async () => {
    const challenge = await activate([waiting]);
    expect(challenge).toEqual({
      kind: 'nonce',
      ...CHALLENGE,
      token: { ...waiting, key: key.toString('hex'), counter: '0' },
      needsPin: false,
    });
    expect(respond(challenge, { now: NOW })).toEqual({
      token: { ...challenge.token, counter: '1' },
      response: computeResponse(SUITE, key, { question: CHALLENGE.question, counter: 0n }),
    });
  });

  it.each(['gezd gnbv gy3t qojq 01', 'GEZD-GNBV–GY3T—Q0JQ-O-1', ' gezdgnbvgy3tq0jqO1\n'])(
    'takes the activation code as it is typed: %j',
    async (typed) => {
      expect(await activate([waiting], nonceCode, typed)).toMatchObject({ token: { serial: 'OCRA1' } });
    },
  );

  it('keeps the counter when the same code is read again', async () => {
    const { token } = respond(await activate([waiting]), { now: NOW });
    expect((await activate([token])).token.counter).toBe('1');
  });

  it('begins to count anew with another key', async () => {
    const used = { ...waiting, key: 'aa'.repeat(32), counter: '9' };
    expect((await activate([used])).token.counter).toBe('0');
  });

  it('refuses a serial whose first code was never read', async () => {
    await expect(activate([])).rejects.toMatchObject({ payload: { fault: 'serial-unknown' } });
    const nameless = nonceCode.replace('&se=OCRA1', '');
    await expect(activate([{ ...waiting, serial: '' }], nameless)).rejects.toMatchObject({
      payload: { fault: 'serial-unknown' },
    });
    expect(awaitedToken([waiting], nonce(nonceCode))).toBe(waiting);
  });

  it.each([
    ['another activation code', nonceCode, 'JZXW4ZI=2A', 'activation-signature'],
    ['a changed text', nonceCode.replace('me=Hi', 'me=Ho'), CODE, 'activation-signature'],
    ['a cut signature', nonceCode.slice(0, -1), CODE, 'torn'],
    ['no signature', nonceCode.replace(/&si=.*$/, ''), CODE, 'torn'],
  ])('refuses %s', async (_what, text, code, fault) => {
    await expect(activate([waiting], text, code)).rejects.toMatchObject({
      code: 'qrtan-url.invalid',
      payload: { fault },
    });
  });

  it('says when the activation code is mistyped', async () => {
    await expect(activate([waiting], nonceCode, 'GEZDGNBVGY3TQOJQ02')).rejects.toMatchObject({
      code: 'activation-code.invalid',
      payload: { fault: 'checksum' },
    });
  });

  it('refuses a code without an address for the response, unless the policy allows it', async () => {
    const text = buildNonceUrl(SUITE, key, { ...CHALLENGE, callbackUrl: '', nonce: NONCE, serial: 'OCRA1' });
    await expect(activate([waiting], text)).rejects.toMatchObject({ payload: { fault: 'callback-missing' } });
    const challenge = await openActivation([waiting], nonce(text), text, CODE, { requireCallback: false });
    expect(challenge.callbackUrl).toBe('');
  });
});

describe('the tokens of an app', () => {
  it('are found, replaced and removed by serial, whatever its letter case', () => {
    const other = { ...waiting, serial: 'B', counter: '3' };
    const both = putToken(putToken([], waiting), other);
    expect(both.map(({ serial }) => serial)).toEqual(['B', 'OCRA1']);
    expect(findToken(both, 'ocra1')).toBe(waiting);
    expect(findToken(both, 'OCRA')).toBeUndefined();
    expect(putToken(both, { ...other, serial: 'b', counter: '4' })).toMatchObject([
      { serial: 'OCRA1' },
      { serial: 'b', counter: '4' },
    ]);
    expect(removeToken(both, 'b')).toEqual([waiting]);
    expect(both).toHaveLength(2);
  });
});

describe('the issuer of a token', () => {
  const ISSUER = { name: 'Musterbank', logo: issuerLogo() };
  const issuedCode = (issuer: Issuer): string =>
    buildNonceUrl(SUITE, key, { ...CHALLENGE, nonce: NONCE, serial: 'OCRA1', issuer });
  const opened = async (text: string): Promise<Issuer | undefined> =>
    (await openActivation([waiting], nonce(text), text, CODE)).token.issuer;

  it('is that of the signed code of the roll-out', async () => {
    expect(await opened(issuedCode(ISSUER))).toEqual(ISSUER);
    expect(await opened(issuedCode({ ...ISSUER, logo: '' }))).toEqual({ ...ISSUER, logo: '' });
    expect(await opened(nonceCode)).toBeUndefined();
  });

  it.each([
    ['another name', issuedCode(ISSUER).replace('Musterbank', 'Otherbank')],
    ['a name that was not there', nonceCode.replace('&si=', '&is=Musterbank&si=')],
    ['another logo', issuedCode(ISSUER).replace(ISSUER.logo, issuerLogo(16))],
  ])('cannot be forged: %s makes the code one of somebody else', async (_what, text) => {
    await expect(opened(text)).rejects.toMatchObject({ payload: { fault: 'activation-signature' } });
  });

  it('is not shown where its name would deceive, and is without a logo that is no small picture', async () => {
    for (const name of ['Мusterbank', 'Muster\u202Ebank', 'x'.repeat(41), '']) {
      expect(await opened(issuedCode({ ...ISSUER, name }))).toBeUndefined();
    }
    expect(await opened(issuedCode({ ...ISSUER, logo: 'PHN2Zz4' }))).toEqual({ ...ISSUER, logo: '' });
  });

  it('is forgotten when the token is rolled out anew without one', async () => {
    const before = { ...waiting, issuer: ISSUER };
    expect((await openActivation([before], nonce(nonceCode), nonceCode, CODE)).token.issuer).toBeUndefined();
  });
});
