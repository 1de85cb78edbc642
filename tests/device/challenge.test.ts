import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type OpenChallenge, openChallenge, respond } from '../../src/device/challenge.ts';
import type { DeviceToken } from '../../src/device/device-token.ts';
import { readCode } from '../../src/device/read-code.ts';
import { isServiceError } from '../../src/kernel/errors.ts';
import { computeResponse } from '../../src/ocra/compute.ts';
import { buildRequestUrl } from '../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { refusalOf } from '../support/values/refusal.ts';

const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');
const TIMED = parseOcraSuite('OCRA-1:HOTP-SHA512-8:QN08-PSHA1-T1M');
const KEY = Buffer.alloc(32, 5);
const NOW = new Date('2026-11-20T12:00:00Z');
const CHALLENGE = {
  message: 'Pay 120 EUR to Bert?',
  callbackUrl: 'https://tan.example/ocra/check_t',
  question: '12345678',
  transactionId: 'ff00',
};
const CODE = buildRequestUrl(SUITE, KEY, CHALLENGE);
const SIGNATURE = CODE.slice(CODE.indexOf('&si='));

function token(given: Partial<DeviceToken> = {}): DeviceToken {
  return {
    serial: 'T1',
    suite: SUITE.text,
    sharedSecret: '00',
    counter: '0',
    key: KEY.toString('hex'),
    ...given,
  };
}

function open(tokens: readonly DeviceToken[], text = CODE, requireCallback = true): OpenChallenge {
  const url = readCode(text);
  if (url.kind !== 'req') {
    throw new Error('not a challenge');
  }
  return openChallenge(tokens, url, text, { requireCallback });
}

describe('opening a challenge', () => {
  it('finds its token by the signature, and shows what was signed', () => {
    const tokens = [
      token({ serial: 'A', key: null }),
      token({ serial: 'B', key: 'aa'.repeat(32) }),
      token({ serial: 'C', counter: '41' }),
    ];
    expect(open(tokens)).toEqual({ kind: 'req', ...CHALLENGE, token: tokens[2], needsPin: false });
  });

  it('shows nothing but what was signed', () => {
    const url = readCode(CODE.replace('120', '920'));
    expect(url.kind === 'req' && url.message).toContain('920');
    expect(() => url.kind === 'req' && openChallenge([token()], url, CODE)).toThrow('not the one');
  });

  it('takes a link for the code that it stands for', () => {
    expect(open([token()], `web+${CODE}`).message).toBe(CHALLENGE.message);
    expect(open([token()], `https://b/app#link=${encodeURIComponent(`web+${CODE}`)}`).token).toEqual(token());
  });

  it.each([
    ['another message', CODE.replace('120', '920'), 'signature'],
    ['another destination', CODE.replace('tan.example', 'tam.example'), 'signature'],
    ['another encoding of the same message', CODE.replace('Bert', '%42ert'), 'signature'],
    ['another order', CODE.replace(/(tr=ff00)&(.*)/, '$2&$1').replace('&me', '&tr=ff00&me'), 'signature'],
    ['a parameter more', CODE.replace('?', '?x=1&'), 'signature'],
    ['a parameter after the signature', `${CODE}&x=1`, 'signature'],
    [
      'a signature in front',
      CODE.replace(SIGNATURE, '').replace('?', `?${SIGNATURE.slice(1)}&`),
      'signature',
    ],
    ['no signature', CODE.replace(SIGNATURE, ''), 'torn'],
    ['a cut signature', CODE.slice(0, -1), 'torn'],
    ['an empty signature', CODE.replace(SIGNATURE, '&si='), 'torn'],
    ['an encoded signature', CODE.replace(SIGNATURE, SIGNATURE.replace(/.$/, '%30')), 'signature'],
  ])('refuses %s', (_what, text, fault) => {
    expect(text).not.toBe(CODE);
    expect(refusalOf(() => open([token()], text))).toMatchObject({
      code: 'qrtan-url.invalid',
      payload: { fault },
    });
  });

  it('refuses every code while no token has a key', () => {
    expect(refusalOf(() => open([])).payload).toEqual({ fault: 'signature' });
    expect(refusalOf(() => open([token({ key: null })])).payload).toEqual({ fault: 'signature' });
  });

  it('refuses one without an address for the response, unless the policy allows it', () => {
    const text = buildRequestUrl(SUITE, KEY, { ...CHALLENGE, callbackUrl: '' });
    expect(refusalOf(() => open([token()], text)).payload).toEqual({ fault: 'callback-missing' });
    expect(open([token()], text, false).callbackUrl).toBe('');
  });

  it('refuses a code in which any one character was changed', () => {
    fc.assert(
      fc.property(
        fc.nat(CODE.length - 1),
        fc.constantFrom('0', 'f', '&', '=', '%', '+'),
        (place, character) => {
          const changed = CODE.slice(0, place) + character + CODE.slice(place + 1);
          fc.pre(changed !== CODE);
          try {
            open([token()], changed);
            expect(changed.toLowerCase()).toBe(CODE.toLowerCase());
          } catch (error) {
            expect(isServiceError(error, 'qrtan-url.invalid')).toBe(true);
          }
        },
      ),
    );
  });
});

describe('responding', () => {
  it('uses the counter, and returns the token with the next one', () => {
    const { response, token: next } = respond(open([token({ counter: '9007199254740993' })]), { now: NOW });
    expect(response).toBe(
      computeResponse(SUITE, KEY, { question: CHALLENGE.question, counter: 9007199254740993n }),
    );
    expect(next).toEqual(token({ counter: '9007199254740994' }));
  });

  it('uses the last counter but one, and refuses the last one instead of beginning anew', () => {
    const { token: last } = respond(open([token({ counter: '18446744073709551614' })]), { now: NOW });
    expect(last.counter).toBe('18446744073709551615');
    for (const counter of [last.counter, '18446744073709551616', '99999999999999999999']) {
      expect(refusalOf(() => respond(open([token({ counter })]), { now: NOW })).code).toBe(
        'token.counter-exhausted',
      );
    }
  });

  it('uses time, offset and PIN where the suite has them, and counts nothing without C', () => {
    const timed = token({ suite: TIMED.text, counter: '18446744073709551615' });
    const challenge = open([timed], buildRequestUrl(TIMED, KEY, CHALLENGE));
    expect(challenge.needsPin).toBe(true);
    const { response, token: next } = respond(challenge, { now: NOW, pin: '1234', offsetSeconds: -90.5 });
    const timeStep = BigInt(Math.floor((NOW.getTime() - 90_500) / 60_000));
    expect(response).toBe(
      computeResponse(TIMED, KEY, { question: CHALLENGE.question, pin: '1234', timeStep }),
    );
    expect(next).toEqual(timed);
    expect(refusalOf(() => respond(challenge, { now: NOW })).code).toBe('data-input.invalid');
  });

  it('does not compute with a PIN that the suite does not have', () => {
    const challenge = open([token()]);
    expect(respond(challenge, { now: NOW, pin: '1234' })).toEqual(respond(challenge, { now: NOW }));
  });
});
