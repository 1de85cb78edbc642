import { describe, expect, it } from '@jest/globals';
import { parseDuration } from '../../src/kernel/duration.ts';
import { refusalOf } from '../support/values/refusal.ts';

describe('a duration', () => {
  it.each([
    ['300', 300],
    ['0', 0],
    ['20M', 1200],
    ['1D2H3M4S', 93_784],
    [' 2h ', 7200],
    ['1D', 86_400],
    ['90S', 90],
    ['10D', 864_000],
    ['12h30m', 45_000],
    ['999999999', 999_999_999],
  ])('%s is %i seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(['', ' ', 'M', '1M2H', '1.5H', '-5', '5X', '1H1H', '1e3', '9'.repeat(10), '٣M'])(
    '%j is none',
    (text) => {
      expect(refusalOf(() => parseDuration(text))).toMatchObject({
        code: 'duration.invalid',
        message: `Not a duration: '${text}'. Use seconds (300) or a form like 1D2H3M4S.`,
      });
    },
  );
});
