import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codeText, readCode } from '../../src/device/read-code.ts';
import { isServiceError } from '../../src/kernel/errors.ts';
import { buildInitUrl, buildNonceUrl, buildRequestUrl } from '../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { refusalOf } from '../support/values/refusal.ts';
import { anyText } from '../support/values/any-text.ts';

const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');
const KEY = Buffer.alloc(32, 5);
const CHALLENGE = {
  message: 'Pay 1+1 & %26si%3D ü',
  callbackUrl: 'https://tan.example/ocra/check_t?a=1 2',
  question: 'Pay0000abc',
  transactionId: 'ff00',
};
const INIT = buildInitUrl({ sharedSecret: KEY, suite: SUITE.text, serial: 'A' });
const NONCE = buildNonceUrl(SUITE, KEY, { ...CHALLENGE, nonce: Buffer.alloc(64, 7), serial: 'A' });
const REQUEST = buildRequestUrl(SUITE, KEY, CHALLENGE);
const ALL = [INIT, NONCE, REQUEST] as const;

const asLink = (code: string): string => `https://bank.example/app/#link=${encodeURIComponent(code)}`;

function refusal(text: string): { code: string; payload: object; message: string } {
  const { code, payload, message } = refusalOf(() => readCode(text));
  return { code, payload, message };
}

describe('reading a code', () => {
  it.each(ALL)('takes it as it is, as a web+lseqr link and as a link to the app: %s', (code) => {
    const read = readCode(code);
    expect(read.kind).toBe(/^lseqr:\/\/([a-z]+)/.exec(code)?.[1]);
    const forms = [
      ` \n${code}\r\n`,
      `web+${code}`,
      asLink(code),
      asLink(`web+${code}`),
      `${asLink(code)}&x=1`,
      `http://localhost:5001/app/?a=b#link=${encodeURIComponent(code)}`,
    ];
    for (const form of forms) {
      expect(readCode(form)).toEqual(read);
      expect(codeText(form)).toBe(code);
    }
  });

  it('reads what the server wrote', () => {
    expect(readCode(asLink(REQUEST))).toMatchObject({ kind: 'req', ...CHALLENGE });
  });

  it.each([
    ['', 'empty'],
    [' \n\t', 'empty'],
    ['https://bank.example/app/#link=', 'empty'],
    ['otpauth://totp/Bank:me?secret=JBSWY3DPEHPK3PXP', 'otpauth'],
    ['OTPAUTH://hotp/x', 'otpauth'],
    [asLink('otpauth://totp/x'), 'otpauth'],
    ['otpauth-migration://offline?data=CjEKCkhlbGxv', 'otpauth-migration'],
    ['https://bank.example/', 'web-link'],
    ['HTTP://bank.example/#other=1', 'web-link'],
    ['https://bank.example/#link=%', 'web-link'],
    ['WIFI:S:net;P:secret;;', 'other-text'],
    ['lseq', 'other-text'],
    [asLink(asLink(REQUEST)), 'web-link'],
    ['lseqr://boom?a=b', 'unknown-kind'],
    ['lseqr://boom', 'unknown-kind'],
    ['lseqr://initial?a=b', 'unknown-kind'],
    ['lseqr://constructor?a=b', 'unknown-kind'],
    ['lseqr://', 'torn'],
    ['lseqr:', 'torn'],
    ['web+lseqr://no', 'torn'],
    ['lseqr://req', 'torn'],
    ['lseqr://req?', 'torn'],
    ['lseqr://req?ch=1&t', 'torn'],
    ['lseqr://req?ch=1&tr=1&me=a%C', 'torn'],
    ['lseqr://req?me=a&ch=', 'torn'],
    [`${REQUEST}&me=other`, 'malformed'],
    [`${REQUEST}${REQUEST.slice(REQUEST.indexOf('&si='))}`, 'malformed'],
    ['lseqr://req?ch=1&ch=2&tr=3', 'malformed'],
    ['lseqr://req?ch=%zz&tr=1', 'malformed'],
    ['lseqr://req?me=%FF&ch=1&tr=1', 'malformed'],
    [`lseqr://req?ch=1&tr=1&me=${'a'.repeat(7_070)}`, 'malformed'],
  ])('refuses %j as %s', (text, fault) => {
    expect(refusal(text)).toMatchObject({ code: 'qrtan-url.invalid', payload: { fault } });
  });

  it('names the system of a code for one-time passwords', () => {
    expect(refusal('otpauth://totp/x?secret=A').message).toContain('otpauth://');
    expect(refusal('otpauth-migration://x').message).toContain('otpauth-migration://');
  });

  it('names the parameter that a torn code lacks', () => {
    expect(refusal('lseqr://nonce?ch=1&tr=2').payload).toEqual({ fault: 'torn', missing: 'no' });
  });

  it('knows a code for torn wherever it is cut before its signature', () => {
    const end = REQUEST.indexOf('&tr=') + '&tr='.length;
    for (let length = 'lseqr:'.length; length < end; length += 1) {
      expect(refusal(REQUEST.slice(0, length)).payload).toMatchObject({ fault: 'torn' });
    }
  });

  it('takes no encoded name for the parameter', () => {
    const tricky = 'lseqr://req?%6De=evil&me=good&ch=1&%63h=2&tr=3';
    expect(readCode(tricky)).toMatchObject({ message: 'good', question: '1' });
  });

  it.each([
    'x'.repeat(1_000_000),
    `lseqr://req?${'&a=b'.repeat(250_000)}`,
    `https://a/#link=${'%41'.repeat(333_333)}`,
    '#link='.repeat(200_000),
    ' '.repeat(1_000_000),
  ])('refuses a megabyte within the time limit of a test', (text) => {
    expect(refusal(text).code).toBe('qrtan-url.invalid');
  });

  it('reads or refuses any text, and quotes no value', () => {
    const texts = fc.oneof(
      anyText(),
      fc.string().map((query) => `lseqr://init?sh=5ec4e75ec4e7x&${query}`),
      fc.string().map((link) => `https://a/#link=${link}`),
      fc.nat(REQUEST.length).map((length) => asLink(REQUEST.slice(0, length))),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          expect(['init', 'nonce', 'req']).toContain(readCode(text).kind);
        } catch (error) {
          expect(isServiceError(error, 'qrtan-url.invalid') && error.payload.fault).toBeTruthy();
          expect(String(error)).not.toContain('5ec4e7');
        }
      }),
      { numRuns: 500 },
    );
  });
});
