import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { codeText, readCode } from '../../src/device/read-code.ts';
import { isServiceError } from '../../src/kernel/errors.ts';
import { buildInitUrl, buildNonceUrl, buildRequestUrl } from '../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { refusalOf } from '../support/values/refusal.ts';
import { anyText } from '../support/values/any-text.ts';
import {
  buildResponseRequest,
  readVerdict,
  clockOffset,
  isClockTooFarOff,
} from '../../src/device/response-request.ts';

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

const answer = (callbackUrl: string) => ({ callbackUrl, transactionId: 'ff00', response: '12345678' });

describe('the request with a response', () => {
  it('is a form with transaction and response', () => {
    const { url, method, body } = buildResponseRequest(answer('https://tan.example/ocra/check_t?a=b'), {
      insecure: 'loopback',
    });
    expect({ url, method, body: body.toString() }).toEqual({
      url: 'https://tan.example/ocra/check_t?a=b',
      method: 'POST',
      body: 'transactionid=ff00&pass=12345678',
    });
  });

  it.each([
    ['javascript:alert(1)', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['ftp://x/', 'scheme'],
    ['//tan.example/', 'scheme'],
    [' https://tan.example/', 'scheme'],
    ['', 'scheme'],
    ['http://', 'syntax'],
    ['https://a b/', 'syntax'],
    ['https://bank.example@evil.example/', 'syntax'],
    ['https://:secret@evil.example/', 'syntax'],
    ['http://tan.example/', 'insecure'],
    ['http://localhost.evil.example/', 'insecure'],
    ['http://127.0.0.1.evil.example/', 'insecure'],
    ['http://127.0.0.1@evil.example/', 'insecure'],
  ])('is not sent to %j', (callbackUrl, fault) => {
    const error = refusalOf(() => buildResponseRequest(answer(callbackUrl), { insecure: 'loopback' }));
    expect(error).toMatchObject({ code: 'callback-url.refused', payload: { fault } });
  });

  it.each([
    'http://localhost:5001/',
    'http://bank.localhost/',
    'http://127.0.0.1:5001/',
    'http://127.1/',
    'HTTP://[::1]/',
    'https://tan.example/',
  ])('is sent to %s', (callbackUrl) => {
    expect(buildResponseRequest(answer(callbackUrl), { insecure: 'loopback' }).url).toBe(callbackUrl);
  });

  it('is sent unencrypted only where the rules say so', () => {
    const url = 'http://tan.example/';
    expect(buildResponseRequest(answer(url), { insecure: 'anywhere' }).url).toBe(url);
  });
});

describe("the server's verdict", () => {
  it.each([
    ['{"result":{"status":true,"value":{"failcount":0,"result":true}}}', true],
    ['{"result":{"status":true,"value":{"failure":1,"result":false}}}', false],
    ['{"result":{"status":false,"error":{"code":-311,"message":"x"}}}', null],
    ['{"result":{"value":{"result":"true"}}}', null],
    ['{"result":{"value":"No challenge for transaction found"}}', null],
    ['{"result":{"value":null}}', null],
    ['[]', null],
    ['"text"', null],
    ['<h1>Bad gateway</h1>', null],
    ['', null],
    [`{"result":{"value":{"result":true}},"x":"${'x'.repeat(70_000)}"}`, null],
  ])('%j is read as %s', (text, verdict) => {
    expect(readVerdict(text)).toBe(verdict);
  });
});

const at = (milliseconds: number): Date => new Date(Date.parse('2026-11-20T12:00:00Z') + milliseconds);

function offset(sent: number, received: number, dateHeader: string | null): number | undefined {
  return clockOffset({ sentAt: at(sent), receivedAt: at(received), dateHeader });
}

describe("the difference between the server's clock and the device's", () => {
  const NOON = 'Fri, 20 Nov 2026 12:00:00 GMT';

  it.each([
    [0, 1_000, NOON, 0],
    [400, 600, NOON, 0],
    [90_400, 90_600, NOON, -90],
    [-3_599_600, -3_599_400, NOON, 3_600],
    [0, 20_000, 'Fri, 20 Nov 2026 12:00:10 GMT', 1],
  ])('sent at %i ms, received at %i ms, answered %s: %i s', (sent, received, header, seconds) => {
    expect(offset(sent, received, header)).toBeCloseTo(seconds, 9);
  });

  it.each([null, '', 'yesterday'])('is unknown with the header %j', (header) => {
    expect(offset(0, 1, header)).toBeUndefined();
  });

  it('is too much from a whole time step on, and never without T', () => {
    const suite = 'OCRA-1:HOTP-SHA256-8:QN08-T1M';
    expect([59, -59, 60, -60].map((seconds) => isClockTooFarOff(suite, seconds))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(isClockTooFarOff('OCRA-1:HOTP-SHA256-8:QN08-T30S', 30)).toBe(true);
    expect(isClockTooFarOff('OCRA-1:HOTP-SHA256-8:C-QN08', 99_999)).toBe(false);
  });
});
