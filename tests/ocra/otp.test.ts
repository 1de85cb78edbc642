import { describe, expect, it } from '@jest/globals';
import { computeResponse } from '../../src/ocra/compute.ts';
import { keyUri } from '../../src/ocra/key-uri.ts';
import { otpAlgorithmText, parseAlgorithm, readOtpAlgorithm } from '../../src/ocra/otp.ts';
import type { HashName } from '../../src/ocra/suite.ts';

const KEYS: Readonly<Record<HashName, string>> = {
  sha1: '12345678901234567890',
  sha256: '12345678901234567890123456789012',
  sha512: '1234567890123456789012345678901234567890123456789012345678901234',
};

describe('RFC 4226, Appendix D', () => {
  it.each([
    ['755224', 0n],
    ['287082', 1n],
    ['359152', 2n],
    ['969429', 3n],
    ['338314', 4n],
    ['254676', 5n],
    ['287922', 6n],
    ['162583', 7n],
    ['399871', 8n],
    ['520489', 9n],
  ])('%s is the response to counter %s', (response, counter) => {
    const algorithm = parseAlgorithm('HOTP-SHA1-6');
    expect(computeResponse(algorithm, Buffer.from(KEYS.sha1), { question: '', counter })).toBe(response);
  });
});

describe('RFC 6238, Appendix B', () => {
  it.each<[number, HashName, string]>([
    [59, 'sha1', '94287082'],
    [59, 'sha256', '46119246'],
    [59, 'sha512', '90693936'],
    [1111111109, 'sha1', '07081804'],
    [1111111109, 'sha256', '68084774'],
    [1111111109, 'sha512', '25091201'],
    [1111111111, 'sha1', '14050471'],
    [1111111111, 'sha256', '67062674'],
    [1111111111, 'sha512', '99943326'],
    [1234567890, 'sha1', '89005924'],
    [1234567890, 'sha256', '91819424'],
    [1234567890, 'sha512', '93441116'],
    [2000000000, 'sha1', '69279037'],
    [2000000000, 'sha256', '90698825'],
    [2000000000, 'sha512', '38618901'],
    [20000000000, 'sha1', '65353130'],
    [20000000000, 'sha256', '77737706'],
    [20000000000, 'sha512', '47863826'],
  ])('at second %s, %s: %s', (second, hash, response) => {
    const algorithm = parseAlgorithm(otpAlgorithmText({ hash, digits: 8, timeStep: 30 }));
    const timeStep = BigInt(Math.floor(second / 30));
    expect(computeResponse(algorithm, Buffer.from(KEYS[hash]), { question: '', timeStep })).toBe(response);
  });
});

describe('the text of an algorithm', () => {
  it.each(['HOTP-SHA1-6', 'HOTP-SHA512-8', 'TOTP-SHA256-6:T30S', 'TOTP-SHA1-8:T1M'])('%s is read', (text) => {
    const read = readOtpAlgorithm(text);
    expect(read && otpAlgorithmText(read)).toBe(text);
    expect(parseAlgorithm(text)).toMatchObject({ text, counter: text.startsWith('HOTP') });
  });

  it.each(['', 'OCRA-1:HOTP-SHA1-6:QN08', 'HOTP-MD5-6', 'HOTP-SHA1-7', 'HOTP-SHA1-6:T30S', 'TOTP-SHA1-6'])(
    '%s is neither HOTP nor TOTP',
    (text) => {
      expect(readOtpAlgorithm(text)).toBeUndefined();
    },
  );
});

/** https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
describe('the URL for authenticator apps', () => {
  const read = (url: string): { label: string; parameters: Record<string, string> } => {
    const { protocol, host, pathname, searchParams } = new URL(url);
    return {
      label: `${protocol}//${host}${decodeURIComponent(pathname)}`,
      parameters: Object.fromEntries(searchParams),
    };
  };

  it('leaves out what apps assume', () => {
    const url = keyUri(
      { hash: 'sha1', digits: 6, timeStep: 30 },
      Buffer.from('Hello!\xde\xad\xbe\xef', 'latin1'),
      { issuer: 'LinOTP', account: 'alice', counter: 0n },
    );
    expect(url).toBe('otpauth://totp/LinOTP:alice?secret=JBSWY3DPEHPK3PXP&issuer=LinOTP');
  });

  it('names counter, digits, hash and period', () => {
    const key = Buffer.from(KEYS.sha1);
    const name = { issuer: 'Bank & Co', account: 'a:b@c d', counter: 7n };
    expect(read(keyUri({ hash: 'sha256', digits: 8 }, key, name))).toEqual({
      label: 'otpauth://hotp/Bank & Co:a:b@c d',
      parameters: {
        secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
        digits: '8',
        algorithm: 'SHA256',
        counter: '7',
        issuer: 'Bank & Co',
      },
    });
    expect(read(keyUri({ hash: 'sha1', digits: 6, timeStep: 60 }, key, name)).parameters.period).toBe('60');
  });
});
