import { describe, expect, it } from '@jest/globals';
import { expiryOption, pastInstantOption, wholeNumberOption } from '../../src/cli/option-values.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const parseExpiry = expiryOption({ now: () => NOW });

describe('values of options', () => {
  it.each([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T12:00:00Z', '2027-01-31T12:00:00.000Z'],
    ['2027-01-31T12:00:00+01:00', '2027-01-31T11:00:00.000Z'],
    ['90D', '2027-02-18T12:00:00.000Z'],
    ['1h', '2026-11-20T13:00:00.000Z'],
  ])('%s is an instant', (text, instant) => {
    expect(parseExpiry(text)().toISOString()).toBe(instant);
  });

  it('a duration counts from the time of the service, which is known when it is open', () => {
    let now = NOW;
    const clock = { now: () => now };
    const [since, expires] = [pastInstantOption(clock)('30D'), expiryOption(clock)('30D')];
    now = new Date('2024-02-24T12:00:00Z');
    expect(since()).toEqual(new Date('2024-01-25T12:00:00Z'));
    expect(expires()).toEqual(new Date('2024-03-25T12:00:00Z'));
  });

  it.each([
    '',
    'soon',
    '2027-13-01',
    '2027-02-30',
    '2027-02-30T12:00:00Z',
    '31.01.2027',
    '2027-01-31T12:00:00',
    '99999999D',
    '999999999D',
  ])('%j is none', (text) => {
    expect(() => parseExpiry(text)).toThrow('It must be a date (2027-01-31) or a duration (90D, 12H).');
  });

  it.each(['-1', '1.5', '1e3', '0x10', '', ' 1', '11', '99999999999'])(
    '%j is no number from 0 to 10',
    (text) => {
      expect(() => wholeNumberOption(0, 10)(text)).toThrow('from 0 to 10');
    },
  );
});
