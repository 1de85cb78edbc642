import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { formatIn } from '../../../console/src/language/format.ts';

const AT = '2026-11-20T23:30:05.000Z';

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
