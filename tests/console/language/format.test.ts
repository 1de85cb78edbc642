import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { formatIn } from '../../../console/src/language/format.ts';
import { localeOf } from '../../../console/src/language/language.ts';

const AT = '2026-11-20T23:30:05.000Z';

it('times in UTC say so, whatever the zone of the device', () => {
  expect(formatIn('en', 'UTC').time(AT)).toBe('Nov 20, 2026, 11:30:05 PM UTC');
  expect(formatIn('de', 'UTC').time(AT)).toBe('20.11.2026, 23:30:05 UTC');
  expect(formatIn('de', 'UTC').minute(AT)).toBe('23:30');
  expect(formatIn('en', 'UTC').typedIn('From', '')).toBe('From (UTC)');
});

it.each([
  ['2026-07-01T10:00', 'From (GMT+2)', '2026-07-01T08:00:00.000Z'],
  ['2026-12-01T10:00', 'From (GMT+1)', '2026-12-01T09:00:00.000Z'],
])('a field in Berlin names the zone of the day that is typed, not of today: %s', (typed, label, instant) => {
  const program = `
    const { formatIn } = await import('./console/src/language/format.ts');
    const { typedIn, ofTyped } = formatIn('en', 'local');
    console.log(JSON.stringify([typedIn('From', '${typed}'), ofTyped('${typed}')]));`;
  // The zone of a process is that of its beginning.
  const output = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    env: { ...process.env, TZ: 'Europe/Berlin' },
    encoding: 'utf8',
  });
  expect(JSON.parse(output)).toEqual([label, instant]);
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

it.each([
  ['en', ['en-GB', 'en'], 'en-GB', '20 Nov 2026, 23:30:05 UTC'],
  ['de', ['de-AT', 'de', 'en-US'], 'de-AT', '20.11.2026, 23:30:05 UTC'],
  ['de', ['en-US', 'de', 'de-CH'], 'de-CH', '20.11.2026, 23:30:05 UTC'],
  ['en', ['de-Latn-DE-1996', 'de'], 'en-DE', '20 Nov 2026, 23:30:05 UTC'],
  ['en', ['C', 'en-u-ca-buddhist', 'en'], 'en', 'Nov 20, 2026, 11:30:05 PM UTC'],
] as const)('%s in a browser of %p is written as %s', (language, preferred, locale, written) => {
  expect(localeOf(language, preferred)).toBe(locale);
  expect(formatIn(locale, 'UTC').time(AT)).toBe(written);
});
