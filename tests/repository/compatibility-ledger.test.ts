import { describe, expect, it } from '@jest/globals';
import { compareWithLedger, isMeant, readLedger } from '../support/values/compatibility-ledger.ts';
import { parseExactly } from '../support/vectors/vector-text.ts';

describe('the compatibility ledger', () => {
  it('has an entry for each pattern', () => {
    const reason = 'RFC 6287 §5.2 allows responses of 0 and 4 to 10 digits.';
    expect(readLedger().slice(0, 2)).toEqual([
      { file: 'linotp-suite-parse', pattern: 'OCRA-1:HOTP-SHA1-1:QN08', reason },
      { file: 'linotp-suite-parse', pattern: 'OCRA-1:HOTP-SHA1-3:QN08', reason },
    ]);
  });

  it('knows no wildcard but the star', () => {
    expect(isMeant('a * => (1.5)', 'a bc => (1.5)')).toBe(true);
    expect(isMeant('a * => (1.5)', 'a bc => (105)')).toBe(false);
    expect(isMeant('a', 'ab')).toBe(false);
  });

  it('tells of unlisted, needless and stale', () => {
    const ledger = [
      { file: 'f', pattern: 'a*', reason: '' },
      { file: 'f', pattern: 'z', reason: '' },
    ];
    const rows = [
      { name: 'a1', holds: false },
      { name: 'a2', holds: true },
      { name: 'b', holds: false },
    ];
    expect(compareWithLedger('f', rows, ledger)).toEqual({
      unlisted: ['b'],
      needless: ['a2'],
      stale: ['z'],
    });
  });

  it('has a reason for each of its lines', () => {
    const ledger = readLedger();
    expect(ledger.length).toBeGreaterThan(20);
    expect(ledger.every(({ reason }) => reason.length > 5)).toBe(true);
  });
});

describe('parseExactly', () => {
  it('keeps numbers beyond 2^53 as text', () => {
    expect(parseExactly('{"C": 18446744073709551615, "D": 5, "E": "12345678901234567890"}')).toEqual({
      C: '18446744073709551615',
      D: 5,
      E: '12345678901234567890',
    });
  });
});
