import { describe, expect, it } from '@jest/globals';
import { compareWithLedger, isMeant, readLedger } from '../support/values/compatibility-ledger.ts';
import { parseExactly } from '../support/values/vectors.ts';

const page = `# Page
| \`elsewhere\` | \`x\` | Not in the section. |

## Computed vectors

| file | row | reason |
| --- | --- | --- |
| \`some-file\` | \`a * => (1.5)\` | Because. |

## Other
| \`elsewhere\` | \`x\` | Not in the section. |
`;

describe('the compatibility ledger', () => {
  it('is read from one section of the page', () => {
    expect(readLedger(page)).toEqual([{ file: 'some-file', pattern: 'a * => (1.5)', reason: 'Because.' }]);
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
