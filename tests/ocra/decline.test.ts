import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { computeResponse, encodeDataInput } from '../../src/ocra/compute.ts';
import { computeDecline, verifyDecline } from '../../src/ocra/decline.ts';
import { buildRequestUrl } from '../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';

const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');
const KEY = Buffer.alloc(32, 5);
const CHALLENGE = { question: 'Pay120EUR0000abcd', transactionId: '5f1c0e9a7b3d42860c1e' };

describe('a decline', () => {
  it.each([
    ['declined', 'DECLINE-1'],
    ['reported', 'REPORT-1'],
  ] as const)(
    '%s is the HMAC of the algorithm, the suite, the question and the transaction',
    (kind, algorithm) => {
      const text = Buffer.concat([
        Buffer.from(`${algorithm}:${SUITE.text}\0`),
        Buffer.from(CHALLENGE.question.padEnd(128, '\0')),
        Buffer.from(CHALLENGE.transactionId),
      ]);
      expect(computeDecline(SUITE, KEY, CHALLENGE, kind)).toBe(
        createHmac('sha256', KEY).update(text).digest('hex'),
      );
    },
  );

  it.each(['declined', 'reported'] as const)('%s is known by its kind, in either letter case', (kind) => {
    const decline = computeDecline(SUITE, KEY, CHALLENGE, kind);
    expect(verifyDecline(SUITE, KEY, CHALLENGE, decline)).toBe(kind);
    expect(verifyDecline(SUITE, KEY, CHALLENGE, decline.toUpperCase())).toBe(kind);
  });

  it.each(['', '00', 'f'.repeat(64), 'f'.repeat(10_000), 'ß'.repeat(64)])('is not “%.20s”', (text) => {
    expect(verifyDecline(SUITE, KEY, CHALLENGE, text)).toBeUndefined();
  });

  it('is for one key, suite, question and transaction, and whole', () => {
    const decline = computeDecline(SUITE, KEY, CHALLENGE, 'reported');
    const others = [
      verifyDecline(SUITE, Buffer.alloc(32, 6), CHALLENGE, decline),
      verifyDecline(parseOcraSuite('OCRA-1:HOTP-SHA256-6:C-QA64'), KEY, CHALLENGE, decline),
      verifyDecline(SUITE, KEY, { ...CHALLENGE, question: 'Pay120EUR0000abce' }, decline),
      verifyDecline(SUITE, KEY, { ...CHALLENGE, transactionId: '5f1c0e9a7b3d42860c1f' }, decline),
      verifyDecline(SUITE, KEY, CHALLENGE, decline.slice(0, -1)),
    ];
    expect(others).toEqual(Array(others.length).fill(undefined));
  });

  it.each([
    'OCRA-1:HOTP-SHA1-6:QN08',
    'ocra-1:hotp-SHA512-8:C-QH40-PSHA1-S064-T1M',
    'OCRA-1:HOTP-SHA256-0:QH64',
  ])('needs neither counter nor PIN nor time, whatever the suite: %s', (text) => {
    const suite = parseOcraSuite(text);
    const challenge = { question: '12345678', transactionId: 'ff00' };
    expect(verifyDecline(suite, KEY, challenge, computeDecline(suite, KEY, challenge, 'declined'))).toBe(
      'declined',
    );
  });

  it('begins as no data input of a response and no signed code begins, so that it is never one of them', () => {
    const first = (text: Uint8Array | string): string => Buffer.from(text).toString('latin1').charAt(0);
    const code = buildRequestUrl(SUITE, KEY, { ...CHALLENGE, message: '', callbackUrl: '' });
    const responses = ['OCRA-1:HOTP-SHA256-0:QH64', 'ocra-1:HOTP-SHA256-0:QH64'].map((text) =>
      encodeDataInput(parseOcraSuite(text), { question: '00' }),
    );
    expect([code, ...responses].map(first)).toEqual(['l', 'O', 'o']);
  });

  it('is no response to any question that somebody may choose, of a suite whose responses are as long', () => {
    const suite = parseOcraSuite('OCRA-1:HOTP-SHA256-0:QH64');
    const question = fc.stringMatching(/^[0-9a-f]{1,64}$/);
    fc.assert(
      fc.property(question, question, (declined, chosen) => {
        const decline = computeDecline(suite, KEY, { question: declined, transactionId: chosen }, 'declined');
        expect(decline).not.toBe(computeResponse(suite, KEY, { question: chosen }));
      }),
    );
  });
});
