import { describe, expect, it } from '@jest/globals';
import {
  EMPTY_FORM,
  filtersOf,
  formAt,
  outcomeColour,
  subjectIn,
  subjectPath,
} from '../../../console/src/audit/audit-filters.ts';
import { userAuditAddress } from '../../../console/src/helpdesk/addresses.ts';
import { formatIn } from '../../../console/src/language/format.ts';

const IN_UTC = formatIn('en', 'UTC');

describe('the filters of a form', () => {
  it('leave out what is empty, and blanks around texts', () => {
    expect(filtersOf({ ...EMPTY_FORM, serial: ' QR1 ', actor: '  ' }, IN_UTC)).toEqual({
      serial: 'QR1',
      since: '1D',
    });
    expect(filtersOf({ ...EMPTY_FORM, period: 'all' }, IN_UTC)).toEqual({});
  });

  it('give times in UTC', () => {
    const from = '2026-11-20T10:00';
    const form = { ...EMPTY_FORM, period: 'own' } as const;
    expect(filtersOf({ ...form, from }, IN_UTC)).toEqual({ since: '2026-11-20T10:00:00.000Z' });
    expect(filtersOf({ ...form, to: from }, IN_UTC)).toEqual({ until: '2026-11-20T10:00:00.000Z' });
    expect(filtersOf({ ...form, to: from }, formatIn('en', 'local'))).toEqual({
      until: new Date(from).toISOString(),
    });
    // A period in words takes no times that were typed before.
    expect(filtersOf({ ...EMPTY_FORM, period: '1H', from }, IN_UTC)).toEqual({ since: '1H' });
  });
});

it.each([
  ['#/audit', ''],
  ['#/audit/subject/QR1', 'QR1'],
  ['#/audit/subject/A%2FB%25', 'A/B%'],
  ['#/audit/subject/%', ''],
])('the address %s names the object %j', (hash, subject) => {
  expect(subjectIn(hash)).toBe(subject);
});

it('the address of the audit of a user asks for the rows about their tokens, of all times', () => {
  const address = userAuditAddress({ user: 'A/B%', realm: 'north' });
  expect(formAt(`#${address}`)).toEqual({ ...EMPTY_FORM, user: 'A/B%@north', period: 'all' });
  expect(formAt('#/audit/subject/QR1')).toEqual({ ...EMPTY_FORM, serial: 'QR1', period: 'all' });
  expect(formAt('#/audit')).toEqual(EMPTY_FORM);
});

describe('a row', () => {
  it.each([
    [{ action: 'ocra/check_t', serial: 'A/B 1' }, '/tokens/A~2f~B~20~1'],
    [{ action: 'admin/init', serial: 'QR1' }, '/tokens/QR1'],
    [{ action: 'token/reset', serial: '' }, undefined],
    [{ action: 'policy/set', serial: 'QR1' }, undefined],
  ])('about %j leads to %s', (row, path) => {
    expect(subjectPath(row)).toBe(path);
  });

  it.each([
    ['accepted', 'green'],
    ['refused: no right', 'red'],
    ['wrong', 'red'],
    ['changed owner', 'gray'],
  ])('with the outcome %s is %s', (outcome, colour) => {
    expect(outcomeColour(outcome)).toBe(colour);
  });
});
