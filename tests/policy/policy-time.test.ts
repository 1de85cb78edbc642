import { describe, expect, it } from '@jest/globals';
import { readTimes } from '../../src/policy/policy-conditions.ts';
import { refusalOf } from '../support/values/refusal.ts';

/** Friday, in the server's local time zone, whichever the tests run in. */
const FRIDAY = new Date(2026, 10, 20, 14, 35, 12);
const SUNDAY = new Date(2026, 10, 22, 0, 0, 0);

describe('the time of a policy', () => {
  it.each([
    ['', true],
    [' ; ', true],
    ['* * * * * *', true],
    ['* * * * * *;', true],
    ['* * * * * 1990', false],
    ['* * * * * 2026', true],
    ['35 14 20 11 5 2026', true],
    ['34 14 20 11 5 2026', false],
    ['* 8-17 * * 1-5 *', true],
    ['* 8-13 * * 1-5 *', false],
    ['* 14-14 * * * *', true],
    ['5,35 * * * * *', true],
    ['5,30-34,40 * * * * *', false],
    ['*/5 * * * * *', true],
    ['*/6 * * * * *', false],
    ['30-59/5 * * * * *', true],
    ['30/5 * * * * *', true],
    ['36/5 * * * * *', false],
    ['* * * * 6 *; * 14 * * * *;', true],
    ['* * * * 6 *; * 15 * * * *;', false],
    ['* * 20 * 1 *', false],
    ['  *   14 *  * * * ', true],
    ['3-59/8 * * * * *', true],
    ['5/10 * * * * *', true],
    ['*/10 * * * * *', false],
    ['2-59/8 * * * * *', false],
    ['34-59/2 * * * * *', false],
    ['31-59/3 * * * * *', false],
  ])('%j holds on a Friday afternoon: %s', (text, expected) => {
    expect(readTimes(text)(FRIDAY)).toBe(expected);
  });

  it.each([
    ['* * * * 0 *', true],
    ['* * * * 7 *', true],
    ['* * * * 6-7 *', true],
    ['* * * * 0-5 *', true],
    ['* * * * 1-6 *', false],
    ['0 0 * * * *', true],
    ['7 0 * * * *', false],
    ['0 7 * * * *', false],
  ])('%j holds on a Sunday at midnight: %s', (text, expected) => {
    expect(readTimes(text)(SUNDAY)).toBe(expected);
  });

  it.each([
    ['* * * * *', 'it needs 6 fields: minute hour day month weekday year'],
    ['* * * * * * *', 'it needs 6 fields: minute hour day month weekday year'],
    ['60 * * * * *', "'60' is no minute from 0 to 59"],
    ['* 24 * * * *', "'24' is no hour from 0 to 23"],
    ['* * 0 * * *', "'0' is no day from 1 to 31"],
    ['* * * 13 * *', "'13' is no month from 1 to 12"],
    ['* * * * 8 *', "'8' is no weekday from 0 to 7"],
    ['* * * * * 99999', "'99999' is no year from 1970 to 9999"],
    ['* 17-8 * * * *', "'17-8' is no hour from 0 to 23"],
    ['*/0 * * * * *', "'*/0' is no minute from 0 to 59"],
    ['1,,2 * * * * *', "'' is no minute from 0 to 59"],
    ['-5 * * * * *', "'-5' is no minute from 0 to 59"],
    ['* * * * mon *', "'mon' is no weekday from 0 to 7"],
    ['٣ * * * * *', "'٣' is no minute from 0 to 59"],
  ])('%s is refused, and the text names the field', (text, reason) => {
    const refusal = refusalOf(() => readTimes(`* * * * * *; ${text}`));
    expect([refusal.code, refusal.message]).toEqual(['policy.invalid', `'${text}' is not a time: ${reason}`]);
  });
});
