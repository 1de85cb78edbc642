import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { refusalOf } from '../support/values/refusal.ts';
import { isServiceError } from '../../src/kernel/errors.ts';
import { suiteText } from '../support/values/ocra-arbitraries.ts';
import { anyText } from '../support/values/any-text.ts';

const refusal = (text: string) => refusalOf(() => parseOcraSuite(text));

describe('parseOcraSuite', () => {
  it('takes parts in any order, as no reader can mistake them', () => {
    const { text, ...parts } = parseOcraSuite('OCRA-1:HOTP-SHA1-6:T1M-S064-P-QN08-C');
    const { text: other, ...same } = parseOcraSuite('OCRA-1:HOTP-SHA1-6:C-QN08-PSHA1-S064-T1M');
    expect(parts).toEqual(same);
    expect(text).not.toBe(other);
  });

  it('keeps the text as it is given, which is the head of every data input', () => {
    expect(parseOcraSuite('ocra-1:hotp-sha256-8:QN08-Psha1').text).toBe('ocra-1:hotp-sha256-8:QN08-Psha1');
  });

  it.each([
    ['nonsense', 'algorithm'],
    ['OCRA-2:HOTP-SHA1-6:QN08', 'algorithm'],
    [' OCRA-1:HOTP-SHA1-6:QN08', 'algorithm'],
    ['OCRA-1:HOTP-SHA1-6:QN08:C', 'shape'],
    ['OCRA-1:HOTP-SHA1-6-7:QN08', 'crypto function'],
    ['OCRA-1:HOTP-constructor-6:QN08', 'hash'],
    ['OCRA-1:HOTP-SHA1-3:QN08', 'truncation'],
    ['OCRA-1:HOTP-SHA1-06:QN08', 'truncation'],
    ['OCRA-1:HOTP-SHA1-6 :QN08', 'truncation'],
    ['OCRA-1:HOTP-SHA1-٦:QN08', 'truncation'],
    ['OCRA-1:HOTP-SHA1-6:C', 'question'],
    ['OCRA-1:HOTP-SHA1-6:QN008', 'question'],
    ['OCRA-1:HOTP-SHA1-6:QN08\n', 'question'],
    ['OCRA-1:HOTP-SHA1-6:QN08-PMD5', 'PIN'],
    ['OCRA-1:HOTP-SHA1-6:QN08-S000', 'session'],
    ['OCRA-1:HOTP-SHA1-6:QN08-S513', 'session'],
    ['OCRA-1:HOTP-SHA1-6:QN08-T0S', 'time step'],
    ['OCRA-1:HOTP-SHA1-6:QN08-T60S', 'time step'],
    ['OCRA-1:HOTP-SHA1-6:QN08-T60M', 'time step'],
    ['OCRA-1:HOTP-SHA1-6:QN08-T49H', 'time step'],
    ['OCRA-1:HOTP-SHA1-6:QN08-T5S1M', 'time step'],
    ['OCRA-1:HOTP-SHA1-6:QN08-T5', 'time step'],
    ['OCRA-1:HOTP-SHA1-6:C-QN08-C', 'duplicate'],
    ['OCRA-1:HOTP-SHA1-6:QN08-QA10', 'duplicate'],
    ['OCRA-1:HOTP-SHA1-6:QN08-P-PSHA256', 'duplicate'],
    ['OCRA-1:HOTP-SHA1-6:QN08-X', 'data input'],
    ['OCRA-1:HOTP-SHA1-6:qN08', 'data input'],
    ['OCRA-1:HOTP-SHA1-6:CC-QN08', 'data input'],
    ['OCRA-1:HOTP-SHA1-6:QN08-', 'data input'],
  ])('refuses %j and names the %s', (text, part) => {
    const error = refusal(text);
    expect(error.code).toBe('suite.invalid');
    expect(error.message).toContain(`the ${part} '`);
  });

  it('quotes the wrong text and says what is allowed', () => {
    expect(refusal('OCRA-1:HOTP-MD5-6:QN08').message).toBe(
      "Not an OCRA suite, the hash 'MD5' is wrong: the hash must be SHA1, SHA256 or SHA512.",
    );
  });

  it('quotes only the beginning of a long text', () => {
    expect(refusal('x'.repeat(100_000)).message.length).toBeLessThan(200);
  });
});

/** Text that looks like a suite, but for a few changes. */
const almostSuite = fc
  .tuple(suiteText, fc.nat(), fc.nat(5), anyText({ maxLength: 3 }))
  .map(([text, place, cut, inserted]) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + inserted + text.slice(at + cut);
  });

describe('OCRA suites', () => {
  it('every suite of RFC 6287 is read, and its text is kept', () => {
    fc.assert(
      fc.property(suiteText, (text) => {
        expect(parseOcraSuite(text).text).toBe(text);
      }),
    );
  });

  it('any other text is read or refused with suite.invalid, and nothing else happens', () => {
    fc.assert(
      fc.property(fc.oneof(almostSuite, anyText()), (text) => {
        try {
          const suite = parseOcraSuite(text);
          expect(parseOcraSuite(suite.text)).toEqual(suite);
        } catch (error) {
          expect(isServiceError(error, 'suite.invalid')).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
