import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type DeviceState, emptyDeviceState } from '../../../src/cli/device/device-file.ts';
import {
  type DeviceAnswer,
  type DeviceQuestions,
  VirtualDevice,
} from '../../../src/cli/device/virtual-device.ts';
import { computeResponse } from '../../../src/ocra/compute.ts';
import { deriveTokenKey } from '../../../src/ocra/key-derivation.ts';
import { buildInitUrl, buildNonceUrl, buildRequestUrl } from '../../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';

interface UrlVector {
  readonly kind: 'init' | 'nonce' | 'req';
  readonly data: string;
  readonly key?: string;
  readonly suite: string;
  readonly serial?: string;
  readonly message?: string | null;
  readonly challenge?: string;
  readonly transactionid?: string;
  readonly url?: string;
  readonly sharedsecret?: string;
}

const VECTORS = readFileSync(new URL('../../vectors/linotp-lseqr-url.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as UrlVector);

const NOW = new Date('2026-11-20T12:00:00Z');
const device = new VirtualDevice({ clock: { now: () => NOW } });
const CODE = 'GEZDGNBVGY3TQOJQ01';
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');
const SECRET = Buffer.from('12345678901234567890');
const NONCE = Buffer.alloc(64, 7);
const CALLBACK = 'http://127.0.0.1:5001/ocra/check_t';

const asking: DeviceQuestions = {
  activationCode: (kept) => Promise.resolve(kept ?? CODE),
  ocraPin: () => Promise.resolve('1234'),
};

function holding(key: string, suite: string, serial = 'T1', counter = '0'): DeviceState {
  return { ...emptyDeviceState(), tokens: [{ serial, suite, sharedSecret: '00', key, counter }] };
}

type Challenge = Exclude<DeviceAnswer, { kind: 'init' }>;

async function scanChallenge(
  state: DeviceState,
  url: string,
): Promise<{ state: DeviceState; answer: Challenge }> {
  const scanned = await device.scan(state, url, asking);
  if (scanned.answer.kind === 'init') {
    throw new Error('not a challenge');
  }
  return { state: scanned.state, answer: scanned.answer };
}

const afterPhase1 = await device.scan(
  emptyDeviceState(),
  buildInitUrl({ sharedSecret: SECRET, suite: SUITE.text, serial: 'OCRA1' }),
  asking,
);
const key = Buffer.from(await deriveTokenKey({ sharedSecret: SECRET, activationCode: CODE, nonce: NONCE }));
const challenge = { message: 'Hi', callbackUrl: CALLBACK, question: 'abc0000XYZ', transactionId: 'ff00' };
const nonceUrl = buildNonceUrl(SUITE, key, { ...challenge, nonce: NONCE, serial: 'OCRA1' });

describe('the virtual device reads codes that LinOTP made', () => {
  const requests = VECTORS.filter(({ kind, url }) => kind === 'req' && url !== '');
  it.each(requests)('takes $data and shows what it asks', async (vector) => {
    const { answer } = await scanChallenge(holding(vector.key ?? '', vector.suite), vector.data);
    expect(answer).toMatchObject({
      kind: 'req',
      serial: 'T1',
      message: vector.message ?? '',
      question: vector.challenge,
      transactionId: vector.transactionid,
      callbackUrl: vector.url,
    });
    expect(answer.response).toBe(
      computeResponse(parseOcraSuite(vector.suite), Buffer.from(vector.key ?? '', 'hex'), {
        question: vector.challenge ?? '',
        counter: 0n,
      }),
    );
  });

  it.each(VECTORS.filter(({ kind, url }) => kind !== 'init' && url === ''))(
    'refuses $data as it says not where the response goes',
    async ({ data, key: vectorKey = '', suite }) => {
      await expect(device.scan(holding(vectorKey, suite, 'LSOC0001'), data, asking)).rejects.toThrow(
        "wrong QR code: no callback URL; the server's policy qrtanurl is missing",
      );
    },
  );

  it.each(VECTORS.filter(({ kind }) => kind === 'init'))('keeps the secret of $data', async (vector) => {
    const { state, answer } = await device.scan(emptyDeviceState(), vector.data, asking);
    expect(answer).toEqual({ kind: 'init', serial: vector.serial, suite: vector.suite, replaced: false });
    expect(state.tokens).toEqual([
      {
        serial: vector.serial,
        suite: vector.suite,
        sharedSecret: vector.sharedsecret,
        key: null,
        counter: '0',
      },
    ]);
  });
});

describe('the virtual device in the roll-out', () => {
  it('derives the key from secret, activation code and nonce, and answers the first challenge with it', async () => {
    const { state, answer } = await scanChallenge(afterPhase1.state, nonceUrl);
    expect(answer.response).toBe(computeResponse(SUITE, key, { question: challenge.question, counter: 0n }));
    expect(state.tokens[0]).toMatchObject({ key: key.toString('hex'), counter: '1' });
  });

  it('puts right what people type: small letters, O and 0, dashes', async () => {
    const typed = { ...asking, activationCode: () => Promise.resolve('gezd-gnbv-gy3t-q0jq-O1') };
    const { answer } = await device.scan(afterPhase1.state, nonceUrl, typed);
    expect(answer).toMatchObject({ kind: 'nonce', serial: 'OCRA1' });
  });

  it('refuses the second code when another activation code was typed', async () => {
    const typed = { ...asking, activationCode: () => Promise.resolve('JZXW4ZI=2A') };
    await expect(device.scan(afterPhase1.state, nonceUrl, typed)).rejects.toThrow('its signature is wrong');
  });

  it('says when the activation code is mistyped', async () => {
    const typed = { ...asking, activationCode: () => Promise.resolve('GEZDGNBVGY3TQOJQ02') };
    await expect(device.scan(afterPhase1.state, nonceUrl, typed)).rejects.toMatchObject({
      code: 'activation-code.invalid',
    });
  });

  it('refuses the second code before the first', async () => {
    await expect(device.scan(emptyDeviceState(), nonceUrl, asking)).rejects.toThrow(
      'the device has no token OCRA1',
    );
  });

  it('does not begin to count anew when the same second code is read again', async () => {
    const first = await scanChallenge(afterPhase1.state, nonceUrl);
    const second = await scanChallenge(first.state, nonceUrl);
    expect(second.state.tokens[0]?.counter).toBe('2');
    expect(second.answer.response).not.toBe(first.answer.response);
  });

  it('begins to count anew with a new key', async () => {
    const first = await scanChallenge(afterPhase1.state, nonceUrl);
    const nonce = Buffer.alloc(64, 9);
    const newKey = Buffer.from(await deriveTokenKey({ sharedSecret: SECRET, activationCode: CODE, nonce }));
    const again = await scanChallenge(
      first.state,
      buildNonceUrl(SUITE, newKey, { ...challenge, nonce, serial: 'OCRA1' }),
    );
    expect(again.state.tokens[0]).toMatchObject({ key: newKey.toString('hex'), counter: '1' });
  });

  it('keeps a token as it is when its first code is read again, and says when another replaces it', async () => {
    const { state } = await scanChallenge(afterPhase1.state, nonceUrl);
    const same = buildInitUrl({ sharedSecret: SECRET, suite: SUITE.text, serial: 'OCRA1' });
    expect((await device.scan(state, same, asking)).state).toEqual(state);
    const other = buildInitUrl({ sharedSecret: Buffer.alloc(20, 1), suite: SUITE.text, serial: 'OCRA1' });
    const replaced = await device.scan(state, other, asking);
    expect(replaced.answer).toMatchObject({ replaced: true });
    expect(replaced.state.tokens).toHaveLength(1);
    expect(replaced.state.tokens[0]).toMatchObject({ key: null, counter: '0' });
  });
});

describe('the virtual device answering challenges', () => {
  const requestUrl = buildRequestUrl(SUITE, key, challenge);

  it('finds the token by the signature, as the code names none', async () => {
    const state = {
      ...emptyDeviceState(),
      tokens: [
        ...holding('aa'.repeat(32), SUITE.text, 'A').tokens,
        ...holding(key.toString('hex'), SUITE.text, 'B', '41').tokens,
      ],
    };
    const { state: after, answer } = await scanChallenge(state, requestUrl);
    expect(answer.serial).toBe('B');
    expect(answer.response).toBe(computeResponse(SUITE, key, { question: challenge.question, counter: 41n }));
    expect(after.tokens.map(({ serial, counter }) => [serial, counter])).toEqual([
      ['A', '0'],
      ['B', '42'],
    ]);
  });

  it.each([
    ['another message', requestUrl.replace('me=Hi', 'me=Ho')],
    ['another destination', requestUrl.replace('127.0.0.1', '127.0.0.2')],
    ['another question', requestUrl.replace('XYZ', 'XYA')],
    ['no signature', requestUrl.replace(/&si=.*$/, '')],
    ['a cut signature', requestUrl.slice(0, -1)],
    ['an empty signature', requestUrl.replace(/si=.*$/, 'si=')],
  ])('refuses a code with %s than the server signed', async (_what, url) => {
    await expect(device.scan(holding(key.toString('hex'), SUITE.text), url, asking)).rejects.toThrow(
      'its signature is of none of the tokens on this device',
    );
  });

  it('refuses any challenge while a token has no key yet', async () => {
    await expect(device.scan(afterPhase1.state, requestUrl, asking)).rejects.toThrow('its signature');
  });

  it('uses the time and asks for the PIN where the suite has them, and counts nothing without C', async () => {
    const suite = parseOcraSuite('OCRA-1:HOTP-SHA512-8:QN08-PSHA1-T1M');
    const url = buildRequestUrl(suite, key, { ...challenge, question: '12345678' });
    const { state, answer } = await scanChallenge(holding(key.toString('hex'), suite.text), url);
    expect(answer.response).toBe(
      computeResponse(suite, key, {
        question: '12345678',
        pin: '1234',
        timeStep: BigInt(NOW.getTime()) / 60_000n,
      }),
    );
    expect(state.tokens[0]?.counter).toBe('0');
  });

  it('counts beyond what a floating point number holds', async () => {
    const { state } = await scanChallenge(
      holding(key.toString('hex'), SUITE.text, 'T1', '9007199254740993'),
      requestUrl,
    );
    expect(state.tokens[0]?.counter).toBe('9007199254740994');
  });
});

describe('what is no code of a server', () => {
  it.each([
    '',
    'https://example.org/',
    'lseqr://',
    'lseqr://boom?a=b',
    'lseqr://init?sh=zz&os=OCRA-1:HOTP-SHA256-8:C-QA64&se=A',
    'lseqr://init?sh=&os=OCRA-1:HOTP-SHA256-8:C-QA64&se=A',
    'lseqr://init?sh=00&os=OCRA-1:HOTP-SHA256-8:C-QA64',
    'lseqr://req?me=a',
    'lseqr://req?me=%FF&u=x&ch=1&tr=1&si=00',
  ])('is refused: %j', async (text) => {
    await expect(device.scan(emptyDeviceState(), text, asking)).rejects.toMatchObject({
      code: 'qrtan-url.invalid',
    });
  });

  it('is refused with the wrong part of its suite named', async () => {
    await expect(
      device.scan(emptyDeviceState(), 'lseqr://init?sh=00&os=OCRA-1:HOTP-MD5-8:QA64&se=A', asking),
    ).rejects.toMatchObject({ code: 'suite.invalid' });
  });
});
