import { describe, expect, it } from '@jest/globals';
import { parsePastInstant } from '../../src/kernel/past-instant.ts';

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
