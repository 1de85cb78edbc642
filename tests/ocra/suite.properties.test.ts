import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isServiceError } from '../../src/kernel/errors.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { suiteText } from '../support/values/ocra-arbitraries.ts';
import { anyText } from '../support/values/any-text.ts';

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
