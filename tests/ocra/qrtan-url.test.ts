import { describe, expect, it } from '@jest/globals';
import {
  buildInitUrl,
  buildRequestUrl,
  formDecode,
  formEncode,
  parseQrTanUrl,
  signQrTanUrl,
  verifyQrTanSignature,
} from '../../src/ocra/qrtan-url.ts';
import { bytesFromHex } from '../../src/ocra/hex.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { refusalOf } from '../support/values/refusal.ts';

const suite = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');
const key = Buffer.from('12345678901234567890123456789012');
const request = {
  message: 'Ä & b',
  callbackUrl: 'https://tan.example/ocra/check_t?a=1&b=2 3',
  question: 'abc0000',
  transactionId: '4711',
};

describe('formEncode', () => {
  it('escapes all but letters, digits and _.-', () => {
    expect(formEncode("az AZ_.-~!*'()ä/")).toBe('az+AZ_.-%7E%21%2A%27%28%29%C3%A4%2F');
  });

  it('survives half a surrogate pair', () => {
    expect(formDecode(formEncode('a\ud83d'))).toBe('a\ufffd');
  });
});

describe('parseQrTanUrl', () => {
  it('reads what was built', () => {
    const url = buildRequestUrl(suite, key, request);
    const { signature, ...read } = { signature: undefined, ...parseQrTanUrl(url) };
    expect(read).toEqual({ kind: 'req', ...request });
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
  });

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
    ['https://tan.example/?ch=1', /must begin with/],
    ['lseqr://req', /must begin with/],
    ['lseqr://other?ch=1', /kind must be init, req or nonce/],
    ['lseqr://req?', /needs a name and a value/],
    ['lseqr://req?ch=1&tr', /needs a name and a value/],
    ['lseqr://req?ch=1&=2', /needs a name and a value/],
    ['lseqr://req?ch=1&&tr=2', /needs a name and a value/],
    ['lseqr://req?tr=1', /'ch' is missing/],
    ['lseqr://req?ch=&tr=1', /'ch' is missing/],
    ['lseqr://req?ch=1', /'tr' is missing/],
    ['lseqr://req?ch=1&tr=2&ch=3', /'ch' is given twice/],
    ['lseqr://req?ch=%zz&tr=1', /'ch' is not encoded/],
    ['lseqr://req?ch=1&tr=1&me=%ff', /'me' is not encoded/],
    ['lseqr://req?ch=1&tr=1&u=%25ff', /'u' is not encoded/],
    ['lseqr://init?os=x', /'sh' is missing/],
    ['lseqr://init?sh=31', /'os' is missing/],
    ['lseqr://init?sh=313&os=x', /'sh' must be hexadecimal/],
    ['lseqr://init?sh=zz&os=x', /'sh' must be hexadecimal/],
    ['lseqr://nonce?ch=1&tr=2', /'no' is missing/],
  ])('refuses %j and says why', (text, message) => {
    const error = refusalOf(() => parseQrTanUrl(text));
    expect(error.code).toBe('qrtan-url.invalid');
    expect(error.message).toMatch(message);
  });

  it('never quotes a secret', () => {
    expect(refusalOf(() => parseQrTanUrl('lseqr://init?sh=5ec4e7x&os=x')).message).not.toContain('5ec4e7');
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

describe('bytesFromHex', () => {
  it('reads either letter case', () => {
    expect(bytesFromHex('aBcD', 'nonce')).toEqual(Buffer.from([0xab, 0xcd]));
    expect(bytesFromHex('', 'nonce')).toHaveLength(0);
  });

  it.each(['abc', 'zz', '0x10', 'ab ', 'ab\n'])(
    'refuses %j, naming the parameter and not the value',
    (text) => {
      const error = refusalOf(() => bytesFromHex(text, 'nonce'));
      expect(error.code).toBe('parameter.invalid');
      expect(error.message).toBe('The parameter nonce must be hexadecimal digits, an even number of them.');
    },
  );
});
