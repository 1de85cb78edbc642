import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { mergeParameters, pickParameters } from '../../../src/http/request/parameters.ts';
import { refusalOf } from '../../support/values/refusal.ts';

describe('mergeParameters', () => {
  it('takes the last of a repeated name, in any case of letters', () => {
    const given = mergeParameters(
      [
        ['Serial', '1'],
        ['SERIAL', '2'],
        ['serial', '3'],
      ],
      10,
    );
    expect([...given]).toEqual([['serial', '3']]);
  });

  it('reads session only as it stands', () => {
    expect(mergeParameters([['SESSION', 'x']], 10).has('session')).toBe(false);
    expect(
      mergeParameters(
        [
          ['session', 'right'],
          ['Session', 'wrong'],
        ],
        10,
      ).get('session'),
    ).toBe('right');
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'takes %s as a name like any other',
    (name) => {
      const given = mergeParameters([[name, 'x']], 10);
      expect(given.get(name.toLowerCase())).toBe('x');
      expect({}).not.toHaveProperty('x');
    },
  );

  it.each(['a\0b', '\ud800', 'x\udfff'])('refuses the text %j in names and values', (text) => {
    expect(refusalOf(() => mergeParameters([['a', text]], 10)).code).toBe('request.malformed');
    expect(refusalOf(() => mergeParameters([[text, 'a']], 10)).code).toBe('request.malformed');
  });

  it('refuses more parameters than allowed', () => {
    expect(() =>
      mergeParameters(
        Array.from({ length: 11 }, (_, index) => [`p${index}`, '']),
        10,
      ),
    ).toThrow('The request has more than 10 parameters');
  });
});

describe('pickParameters', () => {
  const schema = z.object({
    pass: z.string(),
    transactionid: z.string(),
    count: z.string().regex(/^\d+$/).optional(),
  });

  it('leaves out parameters that are not of the endpoint', () => {
    const given = new Map([
      ['pass', ''],
      ['transactionid', 't'],
      ['__proto__', 'x'],
    ]);
    expect(pickParameters(schema, given)).toStrictEqual({ pass: '', transactionid: 't' });
  });

  it('names the first parameter that is missing', () => {
    expect(() => pickParameters(schema, new Map())).toThrow("Missing parameter 'pass'.");
    expect(() => pickParameters(schema, new Map([['pass', 'x']]))).toThrow(
      "Missing parameter 'transactionid'.",
    );
  });

  it('distinguishes a wrong value from a missing one', () => {
    const given = new Map([
      ['pass', 'x'],
      ['transactionid', 't'],
      ['count', 'many'],
    ]);
    const refusal = refusalOf(() => pickParameters(schema, given));
    expect(refusal.code).toBe('parameter.invalid');
    expect(refusal.message).toContain("'count'");
  });
});
