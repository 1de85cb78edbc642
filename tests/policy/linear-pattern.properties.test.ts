import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readPattern } from '../../src/policy/policy-conditions.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { anyText } from '../support/values/any-text.ts';

/** Patterns of the language that is understood, built from their parts. */
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '[a-c]', '\\.', '\\w', '\\d', 'ß'),
    tie('pattern').map((inner) => `(${inner})`),
    tie('pattern').map((inner) => `(?:${inner})`),
  ),
  pattern: fc
    .array(fc.tuple(tie('part'), fc.constantFrom('', '', '*', '+', '?', '|')), { maxLength: 4 })
    .map((parts) => parts.flat().join('')),
}));
const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.', '1', 'ß'), maxLength: 6 });

describe('a pattern', () => {
  it('means what a regular expression of JavaScript means for the whole name', () => {
    fc.assert(
      fc.property(pattern, fc.array(name, { minLength: 1, maxLength: 8 }), (source, names) => {
        fc.pre(source.length <= 60);
        const matches = readPattern(source);
        // The pattern is generated here, short, and so are the names.
        const reference = new RegExp(`^(?:${source})$`, 'su');
        expect(names.map(matches)).toEqual(names.map((one) => reference.test(one)));
      }),
      { numRuns: 2000 },
    );
  });

  it('of any text is refused with a reason, or answers', () => {
    const signs = fc.string({ unit: fc.constantFrom(...Array.from('ab.*+?()[]|\\^$-')), maxLength: 200 });
    const names = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 1024 });
    fc.assert(
      fc.property(fc.oneof(signs, pattern, anyText()), names, (source, one) => {
        let matches: (name: string) => boolean;
        try {
          matches = readPattern(source);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
          return;
        }
        expect([true, false]).toContain(matches(one));
      }),
      { numRuns: 1000 },
    );
  });
});
