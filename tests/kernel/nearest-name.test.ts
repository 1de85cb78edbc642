import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { didYouMean, nearestName } from '../../src/kernel/nearest-name.ts';

describe('the nearest name', () => {
  it.each([
    ['offize', ['lab', 'office', 'bank'], 'office'],
    ['OcraMaxChalenges', ['OcraMaxChallengeRequests', 'OcraMaxChallenges'], 'OcraMaxChallenges'],
    ['WIRE_DIALECTS', ['WIRE_DIALECT', 'LOG_LEVEL'], 'WIRE_DIALECT'],
    ['wrongg', ['accepted', 'wrong'], 'wrong'],
    // Two neighbours exchanged are one edit, and thus nearer than two substitutions.
    ['balnk', ['bench', 'blank'], 'blank'],
    ['OFFICE', ['office'], 'office'],
    ['status', ['request', 'calcOTP'], undefined],
    ['ab', ['x', 'cd'], undefined],
    ['', ['office'], undefined],
    ['a'.repeat(200), ['a'.repeat(199)], undefined],
  ])('of %p among %p is %p', (name, known, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
  });

  it('is the first of several that are equally near', () => {
    expect(nearestName('bask', ['bank', 'bark'])).toBe('bank');
  });

  it('is found after one character was added, dropped, changed or exchanged', () => {
    const name = fc.stringMatching(/^[a-z]{4,20}$/);
    fc.assert(
      fc.property(name, fc.nat(), fc.constantFrom('add', 'drop', 'change', 'exchange'), (known, at, edit) => {
        const index = at % (known.length - 1);
        const [head, rest] = [known.slice(0, index), known.slice(index)];
        const typed = {
          add: `${head}-${rest}`,
          drop: `${head}${rest.slice(1)}`,
          change: `${head}-${rest.slice(1)}`,
          exchange: `${head}${rest.charAt(1)}${rest.charAt(0)}${rest.slice(2)}`,
        }[edit];
        expect(nearestName(typed, ['0000000000', known])).toBe(known);
      }),
    );
  });
});

describe('the end of a message', () => {
  it('names what was meant, or is empty', () => {
    expect(didYouMean('offize', ['office'])).toBe(': did you mean office?');
    expect(didYouMean('zzz', ['office'])).toBe('');
    expect(didYouMean('office', ['office'])).toBe('');
  });
});
