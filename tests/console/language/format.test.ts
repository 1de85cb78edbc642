import { expect, it } from '@jest/globals';
import { formatIn } from '../../../console/src/language/format.ts';

const AT = '2026-11-20T23:30:05.000Z';

it('times in UTC say so, whatever the zone of the device', () => {
  expect(formatIn('en', 'UTC').time(AT)).toBe('Nov 20, 2026, 11:30:05 PM UTC');
  expect(formatIn('de', 'UTC').time(AT)).toBe('20.11.2026, 23:30:05 UTC');
  expect(formatIn('de', 'UTC').minute(AT)).toBe('23:30');
  expect(formatIn('en', 'UTC').typedIn('From')).toBe('From (UTC)');
});

it.each(['local', 'UTC'] as const)('what is typed in %s is read as it is shown', (zone) => {
  const { toTyped, ofTyped } = formatIn('en', zone);
  expect(ofTyped(toTyped(AT))).toBe(AT);
  expect(ofTyped('')).toBe('');
  expect(toTyped(null)).toBe('');
});

it('what is typed in UTC is taken for UTC', () => {
  expect(formatIn('en', 'UTC').ofTyped('2026-11-20T10:00')).toBe('2026-11-20T10:00:00.000Z');
});

it.each(['local', 'UTC'] as const)('a year of five digits in %s is left to the server to refuse', (zone) => {
  expect(formatIn('en', zone).ofTyped('12026-11-20T10:00')).toBe('12026-11-20T10:00');
});
