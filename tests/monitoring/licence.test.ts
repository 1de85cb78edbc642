import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exceeds, lastDayOf, type Licence, readLicence } from '../../src/monitoring/licence.ts';
import { CLAIMS } from '../support/values/signed-licence.ts';

const WITHOUT_NUMBERS = { licensee: CLAIMS.licensee, number: CLAIMS.number };

function read(claims: object): Licence {
  return readLicence({ ...CLAIMS, ...claims });
}

describe('the content of a licence', () => {
  it('is every claim, and the number of licensed tokens', () => {
    expect(readLicence(CLAIMS)).toEqual({
      fields: CLAIMS,
      unit: 'token',
      licensed: 5,
      startsAt: undefined,
      endsAt: new Date('2028-01-01T00:00:00Z'),
    });
  });

  it('may be for users', () => {
    const claims = { ...WITHOUT_NUMBERS, expire: '2027-12-31', 'user-num': 1 };
    expect(readLicence(claims)).toMatchObject({ unit: 'user', licensed: 1 });
  });

  it.each([
    ['a day, which counts whole', { expire: '2024-02-29' }, '2024-03-01T00:00:00.000Z'],
    ['the end of a year', { expire: '9999-12-31' }, '+010000-01-01T00:00:00.000Z'],
    ['seconds', { expire: undefined, exp: 1_542_585_600.5 }, '2018-11-19T00:00:00.500Z'],
    ['the earlier of two: the day', { expire: '2018-11-19', exp: 1_800_000_000 }, '2018-11-20T00:00:00.000Z'],
    ['the earlier of two: the seconds', { expire: '2030-01-01', exp: 0 }, '1970-01-01T00:00:00.000Z'],
  ])('ends with %s', (_title, claims, end) => {
    const given = JSON.parse(JSON.stringify({ ...CLAIMS, ...claims })) as object;
    expect(readLicence(given).endsAt.toISOString()).toBe(end);
  });

  it('may begin later', () => {
    expect(read({ nbf: 1_800_000_000 }).startsAt?.toISOString()).toBe('2027-01-15T08:00:00.000Z');
  });
});

describe('a licence is refused', () => {
  it.each([
    ['no object', null, 'not a JSON object'],
    ['a list', [CLAIMS], 'not a JSON object'],
    ['a text', 'token-num', 'not a JSON object'],
    [
      'neither number',
      { ...WITHOUT_NUMBERS, expire: '2027-12-31' },
      "exactly one of the claims 'user-num' and 'token-num'",
    ],
    ['both numbers', { ...CLAIMS, 'user-num': 4 }, "exactly one of the claims 'user-num' and 'token-num'"],
    ['no end', { ...WITHOUT_NUMBERS, 'token-num': 5 }, "the claim 'expire' is missing"],
    ['an object among its claims', { ...CLAIMS, contact: { name: 'x' } }, "claim 'contact'"],
    ['null among its claims', { ...CLAIMS, contact: null }, "claim 'contact'"],
    ['a claim as long as a book', { ...CLAIMS, contact: 'x'.repeat(1001) }, "claim 'contact'"],
    ['a name as long as a book', { ...CLAIMS, ['y'.repeat(1001)]: '' }, `claim '${'y'.repeat(100)}'`],
    ['a number that would be shown as another one', { ...CLAIMS, number: 2 ** 53 }, "claim 'number'"],
    ['a number beyond all numbers', { ...CLAIMS, number: JSON.parse('1e999') as unknown }, "claim 'number'"],
    [
      'claims without number',
      { ...CLAIMS, ...Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`c${i}`, i])) },
      'more than 64',
    ],
  ])('with %s', (_title, claims, why) => {
    expect(() => readLicence(claims)).toThrow(
      expect.objectContaining({ code: 'licence.invalid', message: expect.stringContaining(why) }),
    );
  });

  it.each([0, -1, 2.5, '5', true, 2 ** 53, 1e300])('for %p tokens', (number) => {
    expect(() => read({ 'token-num': number })).toThrow("claim 'token-num' is no whole number from 1");
  });

  it.each(['2027-02-29', '2027-13-01', '2027-12-31T00:00:00Z', '31.12.2027', '', 20271231, '0000-00-00'])(
    'that ends on %p',
    (expire) => {
      expect(() => read({ expire })).toThrow("claim 'expire' is no date");
    },
  );

  it.each([
    ['exp', '2027-12-31'],
    ['exp', -1],
    ['exp', 1e15],
    ['nbf', true],
  ])('with %s %p', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(`claim '${name}' is no number of seconds`);
  });
});

describe('the numbers of a licence', () => {
  it('let two more through than are licensed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 0, max: 2e9 }), (licensed, active) => {
        expect(exceeds(active, { licensed })).toBe(active - licensed > 2);
      }),
    );
  });

  it('end on the day that was signed, whichever it is', () => {
    const days = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(days, (day) => {
        const expire = day.toISOString().slice(0, 10);
        expect(lastDayOf(read({ expire }))).toBe(expire);
      }),
    );
  });
});
