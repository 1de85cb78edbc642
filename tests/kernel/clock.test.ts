import { describe, expect, it } from '@jest/globals';
import {
  parseDuration,
  parsePastInstant,
  type Random,
  randomText,
  systemClock,
} from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { refusalOf } from '../support/values/refusal.ts';

describe('time and randomness of the system', () => {
  it('are at hand', () => {
    expect(systemClock.now()).toBeInstanceOf(Date);
    expect(systemRandom.bytes(16)).toHaveLength(16);
    expect(systemRandom.bytes(16)).not.toEqual(systemRandom.bytes(16));
    expect(Array.from({ length: 200 }, () => systemRandom.below(3)).sort()[199]).toBe(2);
  });

  it('random text draws each character from the alphabet', () => {
    const draws = [2, 0, 1];
    const random: Random = { bytes: (size) => Buffer.alloc(size), below: () => draws.shift() ?? 0 };
    expect(randomText(random, 'abc', 3)).toBe('cab');
    expect(randomText(systemRandom, '01', 64)).toMatch(/^[01]{64}$/);
  });
});

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

const NOW = new Date('2026-11-20T12:00:00Z');

describe('an instant', () => {
  it.each([
    ['2026-11-01', '2026-11-01T00:00:00.000Z'],
    [' 2026-11-01T08:30Z ', '2026-11-01T08:30:00.000Z'],
    ['2026-11-01T08:30:00.123456Z', '2026-11-01T08:30:00.123Z'],
    ['2026-11-01T08:30:00+01:00', '2026-11-01T07:30:00.000Z'],
    ['30M', '2026-11-20T11:30:00.000Z'],
    ['1h', '2026-11-20T11:00:00.000Z'],
    ['2D', '2026-11-18T12:00:00.000Z'],
    ['1W', '2026-11-13T12:00:00.000Z'],
    ['1D12H', '2026-11-19T00:00:00.000Z'],
  ])('is read from %j', (text, expected) => {
    expect(parsePastInstant(text, NOW).toISOString()).toBe(expected);
  });

  // prettier-ignore
  it.each([
    '', ' ', 'soon', '2026', '20261101', '300', '-1H', '1X', '1H1H', '1W2D', '2026-02-30', '2026-11-01T08:30',
    '0000-01-01', '1969-12-31', '99999W', '999999999D', '2026-13-01', '2026-11-01T25:00Z',
  ])('is not read from %j', (text) => {
    expect(() => parsePastInstant(text, NOW)).toThrow('It must be a date');
  });
});
