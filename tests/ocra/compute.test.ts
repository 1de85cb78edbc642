import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { computeResponse, encodeDataInput, responder } from '../../src/ocra/compute.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';

const key = Buffer.from('12345678901234567890');

/** Enough of them that some begin with a zero: the padding must show. */
function responses(truncation: number, count: number): string[] {
  const suite = parseOcraSuite(`OCRA-1:HOTP-SHA1-${truncation}:C-QN08`);
  return Array.from({ length: count }, (_, index) =>
    computeResponse(suite, key, { question: '1', counter: BigInt(index) }),
  );
}

describe('computeResponse', () => {
  it.each([4, 5, 6, 7, 8, 9, 10])('a response of %i digits always has them all', (truncation) => {
    const all = responses(truncation, 60);
    expect(all.every((response) => new RegExp(`^\\d{${truncation}}$`).test(response))).toBe(true);
    expect(all.some((response) => response.startsWith('0'))).toBe(true);
  });

  it('a response of fewer digits is the end of one with more', () => {
    const suite = parseOcraSuite('OCRA-1:HOTP-SHA1-10:QN08');
    const dataInput = encodeDataInput(suite, { question: '1' });
    const ten = responder(suite, key)(dataInput);
    expect(Number(ten)).toBeLessThan(2 ** 31);
    expect(responder({ ...suite, truncation: 6 }, key)(dataInput)).toBe(ten.slice(4));
  });

  it('truncation 0 is the whole HMAC in lower-case hexadecimal', () => {
    const suite = parseOcraSuite('OCRA-1:HOTP-SHA256-0:QH08');
    const mac = createHmac('sha256', key)
      .update(encodeDataInput(suite, { question: 'abc' }))
      .digest('hex');
    expect(computeResponse(suite, key, { question: 'abc' })).toBe(mac);
  });

  it('never answers with an empty key', () => {
    const suite = parseOcraSuite('OCRA-1:HOTP-SHA1-6:QN08');
    expect(() => responder(suite, Buffer.alloc(0))).toThrow(/the key is empty/);
  });
});
