import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import {
  buildInitUrl,
  buildRequestUrl,
  formDecode,
  formEncode,
  parseQrTanUrl,
  signQrTanUrl,
  verifyQrTanSignature,
  buildNonceUrl,
} from '../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { refusalOf } from '../support/values/refusal.ts';
import { isIssuerLogo, isIssuerName } from '../../src/ocra/issuer.ts';
import { issuerLogo } from '../support/values/qr-code.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import {
  decodeActivationCode,
  encodeActivationCode,
  normalizeActivationCode,
  randomActivationCode,
} from '../../src/ocra/key-derivation.ts';
import { bytes, suiteText } from '../support/values/ocra-arbitraries.ts';

const suite = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');

const key = Buffer.from('12345678901234567890123456789012');

const request = {
  message: 'Ä & b',
  callbackUrl: 'https://tan.example/ocra/check_t?a=1&b=2 3',
  question: 'abc0000',
  transactionId: '4711',
};

describe('formEncode', () => {
  it('survives half a surrogate pair', () => {
    expect(formDecode(formEncode('a\ud83d'))).toBe('a\ufffd');
  });
});

describe('parseQrTanUrl', () => {
  it('takes parameters in any order, unknown ones, and none that can be missed', () => {
    expect(parseQrTanUrl('lseqr://nonce?xx=1&no=00FF&tr=1&ch=2')).toEqual({
      kind: 'nonce',
      message: undefined,
      callbackUrl: '',
      question: '2',
      transactionId: '1',
      nonce: Buffer.from([0, 255]),
      serial: undefined,
      signature: undefined,
    });
    expect(parseQrTanUrl('lseqr://init?os=OCRA-1%3AHOTP-SHA1-6%3AQN08&sh=3132')).toEqual({
      kind: 'init',
      sharedSecret: Buffer.from('12'),
      suite: 'OCRA-1:HOTP-SHA1-6:QN08',
      serial: undefined,
    });
  });

  it.each([
    ['', /must begin with/],
    ['lseqr://req', /must begin with/],
    ['lseqr://other?ch=1', /kind must be init, req or nonce/],
    ['lseqr://req?ch=1&tr', /needs a name and a value/],
    ['lseqr://req?ch=1&=2', /needs a name and a value/],
    ['lseqr://req?tr=1', /'ch' is missing/],
    ['lseqr://req?ch=1', /'tr' is missing/],
    ['lseqr://req?ch=1&tr=2&ch=3', /'ch' is given twice/],
    ['lseqr://req?ch=%zz&tr=1', /'ch' is not encoded/],
    ['lseqr://req?ch=1&tr=1&me=%ff', /'me' is not encoded/],
    ['lseqr://req?ch=1&tr=1&u=%25ff', /'u' is not encoded/],
    ['lseqr://init?sh=31', /'os' is missing/],
    ['lseqr://init?sh=313&os=x', /'sh' must be hexadecimal/],
    ['lseqr://nonce?ch=1&tr=2', /'no' is missing/],
  ])('refuses %j and says why', (text, message) => {
    const error = refusalOf(() => parseQrTanUrl(text));
    expect(error.code).toBe('qrtan-url.invalid');
    expect(error.message).toMatch(message);
  });
});

describe('verifyQrTanSignature', () => {
  const url = buildRequestUrl(suite, key, request);

  it('takes the right signature, in either letter case', () => {
    expect(verifyQrTanSignature(suite, key, url)).toBe(true);
    const end = url.length - 64;
    expect(verifyQrTanSignature(suite, key, url.slice(0, end) + url.slice(end).toUpperCase())).toBe(true);
  });

  it.each([
    ['another key', url, Buffer.from('x')],
    ['a changed message', url.replace('me=', 'me=1'), key],
    ['a parameter after the signature', `${url}&ch=1`, key],
    ['a cut signature', url.slice(0, -1), key],
    ['an empty signature', url.slice(0, -64), key],
    ['no signature', url.slice(0, -68), key],
    ['its signature repeated', `${url}${url.slice(-68)}`, key],
    ['a signed URL signed once more', signQrTanUrl(suite, key, url), key],
  ])('refuses %s', (_, text, withKey) => {
    expect(verifyQrTanSignature(suite, withKey, text)).toBe(false);
  });

  it('signs with the hash of the suite', () => {
    const sha1 = parseOcraSuite('OCRA-1:HOTP-SHA1-6:QN08');
    const signed = signQrTanUrl(sha1, key, 'lseqr://req?ch=1&tr=2');
    expect(signed).toMatch(/^lseqr:\/\/req\?ch=1&tr=2&si=[0-9a-f]{40}$/);
    expect(verifyQrTanSignature(suite, key, signed)).toBe(false);
  });
});

describe('buildInitUrl', () => {
  it('writes the shared secret in lower-case hexadecimal', () => {
    const url = buildInitUrl({ sharedSecret: Buffer.from([0xab, 0xcd]), suite: suite.text, serial: 'A B' });
    expect(url).toBe('lseqr://init?sh=abcd&os=OCRA-1%3AHOTP-SHA256-8%3AC-QA64&se=A+B');
  });
});

const PICTURE = Buffer.from(issuerLogo(), 'base64url');

/** The end of the header: signature, and the chunk IHDR. */
const HEADER = 33;

function withChunk(name: string, at = HEADER): string {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(name), Buffer.alloc(4)]);
  return Buffer.concat([PICTURE.subarray(0, at), chunk, PICTURE.subarray(at)]).toString('base64url');
}

describe('the logo of an issuer', () => {
  it.each([16, 17, 32, 64])('may be a picture of %i pixels a side', (side) => {
    expect(isIssuerLogo(issuerLogo(side))).toBe(true);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['a larger picture', issuerLogo(65)],
    ['a smaller picture', issuerLogo(15)],
    ['one of more bytes', issuerLogo(64, true)],
    ['another kind of file', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64url')],
    ['an address', 'https://bank.example/logo.png'],
    ['a picture with a text', withChunk('tEXt')],
    ['a picture with a colour profile', withChunk('iCCP')],
    ['a picture that moves', withChunk('acTL')],
    ['two pictures in one', withChunk('IHDR')],
    ['a picture that does not begin with its header', withChunk('IDAT', 8)],
    ['a picture and something after it', Buffer.concat([PICTURE, PICTURE]).toString('base64url')],
    ['a torn picture', PICTURE.subarray(0, -1).toString('base64url')],
    ['a picture without its end', PICTURE.subarray(0, -12).toString('base64url')],
    ['a header alone', PICTURE.subarray(0, 8).toString('base64url')],
    ['a chunk that claims more than there is', Buffer.from(PICTURE).fill(0xff, 33, 37).toString('base64url')],
    ['another alphabet', `${issuerLogo()}+/`],
    ['a text that ends within a byte', `${issuerLogo()}A`],
  ])('is not %s', (_what, text) => {
    expect(isIssuerLogo(text)).toBe(false);
  });
});

describe('the name of an issuer', () => {
  it.each(['Musterbank', 'Bank für Gemeinwohl eG', 'O’Neill & Söhne (Nord)', 'みずほ銀行', 'x'.repeat(40)])(
    'may be %s',
    (name) => {
      expect(isIssuerName(name)).toBe(true);
    },
  );

  it.each([
    '',
    ' ',
    ' Bank',
    'Bank ',
    'x'.repeat(41),
    'two\nlines',
    'a\u202Eb',
    'a\u200Bb',
    'a\u0000b',
    'a\tb',
  ])('is not %j', (name) => {
    expect(isIssuerName(name)).toBe(false);
  });
});

describe('activation codes', () => {
  it.each([
    ['', /too short/],
    ['1', /too short/],
    ['GEZDGNBVGY3TQOJQ02', /checksum/],
    ['GEZDGNBVGY3TQOJQ0l', /checksum/],
    ['GEZDGNBVGY3TQOJQ0', /missing or too many/],
    ['JZXW4ZI2A', /missing or too many/],
    ['A=======00', /missing or too many/],
    ['gezdgnbvgy3tqojq01', /capital letters/],
    ['GEZD=NBVGY3TQOJQ01', /capital letters/],
    ['ÄÖÜÄÖÜÄÖ00', /capital letters/],
    ['GEZDGNBV GY3TQOJQ01', /capital letters/],
  ])('%j is refused, and the error does not quote it', (code, message) => {
    const error = refusalOf(() => decodeActivationCode(code));
    expect(error.code).toBe('activation-code.invalid');
    expect(error.message).toMatch(message);
    expect(code.length > 2 && error.message.includes(code)).toBe(false);
  });

  it('are read whatever the bits are that fill up the last letter', () => {
    const read = ['JZXW4ZI=2A', 'JZXW4ZJ=2A', 'ME======61', 'MF======61'].map(decodeActivationCode);
    expect(read.map((bytes) => Buffer.from(bytes).toString())).toEqual(['None', 'None', 'a', 'a']);
  });

  it('random ones are valid, hold 80 bits and never come twice', () => {
    const codes = Array.from({ length: 100 }, () => randomActivationCode(systemRandom));
    expect(codes.every((code) => decodeActivationCode(code).length === 10)).toBe(true);
    expect(codes.every((code) => /^[A-Z2-7]{16}[0-9A-F]{2}$/.test(code))).toBe(true);
    expect(new Set(codes).size).toBe(100);
  });
});

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
});
