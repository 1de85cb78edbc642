import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isServiceError } from '../../src/kernel/errors.ts';
import {
  decodeActivationCode,
  encodeActivationCode,
  normalizeActivationCode,
} from '../../src/ocra/key-derivation.ts';
import {
  buildInitUrl,
  buildNonceUrl,
  buildRequestUrl,
  parseQrTanUrl,
  verifyQrTanSignature,
} from '../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { bytes, suiteText } from '../support/values/ocra-arbitraries.ts';
import { anyText } from '../support/values/any-text.ts';

const text = fc.string({ unit: 'grapheme' });
const filled = fc.string({ unit: 'grapheme', minLength: 1 });
const challenge = { callbackUrl: text, question: filled, transactionId: filled };

describe('activation codes', () => {
  it('come back as they were, typed in small letters, with dashes, and O and 0 mistaken', () => {
    fc.assert(
      fc.property(bytes(0, 40), fc.nat(), (given, place) => {
        const code = encodeActivationCode(given);
        const [letters, checksum] = [code.slice(0, -2), code.slice(-2)];
        const at = place % (letters.length + 1);
        const typed =
          `${letters.slice(0, at)}-${letters.slice(at)}`.replaceAll('O', '0') + checksum.replaceAll('0', 'o');
        expect(decodeActivationCode(code)).toEqual(given);
        expect(decodeActivationCode(normalizeActivationCode(typed.toLowerCase()))).toEqual(given);
        expect(normalizeActivationCode(code)).toBe(code);
      }),
    );
  });

  it('are refused when one letter is mistyped into another that changes the bytes', () => {
    const letter = fc.constantFrom(...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'));
    fc.assert(
      fc.property(bytes(10, 10), fc.nat(15), letter, (given, place, other) => {
        const code = encodeActivationCode(given);
        fc.pre(code.charAt(place) !== other);
        const mistyped = code.slice(0, place) + other + code.slice(place + 1);
        expect(() => decodeActivationCode(mistyped)).toThrow(/checksum/);
      }),
    );
  });

  it('any other text is read or refused with activation-code.invalid', () => {
    fc.assert(
      fc.property(anyText(), (code) => {
        try {
          expect(decodeActivationCode(code)).toBeInstanceOf(Buffer);
        } catch (error) {
          expect(isServiceError(error, 'activation-code.invalid')).toBe(true);
        }
      }),
    );
  });
});

describe('QR-TAN URLs', () => {
  it('come back as they were, in phase 1', () => {
    const fields = fc.record({ sharedSecret: bytes(1, 64), suite: suiteText, serial: text });
    fc.assert(
      fc.property(fields, (given) => {
        expect(parseQrTanUrl(buildInitUrl(given))).toEqual({ kind: 'init', ...given });
      }),
    );
  });

  it('come back as they were, and their signatures hold for them alone', () => {
    const request = fc.record({ ...challenge, message: text });
    const nonce = fc.record({
      ...challenge,
      message: fc.option(text, { nil: undefined }),
      nonce: bytes(1, 64),
      serial: text,
    });
    fc.assert(
      fc.property(suiteText, bytes(16, 64), request, nonce, fc.nat(), (os, key, requested, rolled, place) => {
        const suite = parseOcraSuite(os);
        const urls = [
          [buildRequestUrl(suite, key, requested), { kind: 'req', ...requested }],
          [buildNonceUrl(suite, key, rolled), { kind: 'nonce', ...rolled }],
        ] as const;
        for (const [url, given] of urls) {
          const signature = url.slice(url.lastIndexOf('=') + 1);
          expect(parseQrTanUrl(url)).toEqual({ ...given, signature });
          expect(verifyQrTanSignature(suite, key, url)).toBe(true);
          const at = place % url.length;
          const changed = `${url.slice(0, at)}${url.charAt(at) === '0' ? '1' : '0'}${url.slice(at + 1)}`;
          expect(verifyQrTanSignature(suite, key, changed)).toBe(false);
        }
      }),
    );
  });

  it('any other text is read or refused with qrtan-url.invalid', () => {
    const almost = fc
      .tuple(fc.constantFrom('init', 'req', 'nonce', 'x'), anyText())
      .map(([kind, query]) => `lseqr://${kind}?${query}`);
    const pairs = fc
      .array(fc.tuple(fc.constantFrom('ch', 'tr', 'no', 'sh', 'os', 'u', 'me'), fc.string()))
      .map((list) => `lseqr://nonce?${list.map((pair) => pair.join('=')).join('&')}`);
    fc.assert(
      fc.property(fc.oneof(almost, pairs, fc.string()), (url) => {
        try {
          expect(['init', 'req', 'nonce']).toContain(parseQrTanUrl(url).kind);
        } catch (error) {
          expect(isServiceError(error, 'qrtan-url.invalid')).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
