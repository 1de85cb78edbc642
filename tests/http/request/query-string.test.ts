import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeUtf8 } from '../../../src/http/request/charsets.ts';
import { parseQueryString } from '../../../src/http/request/parameters.ts';
import { refusalOf } from '../../support/values/refusal.ts';

describe('parseQueryString', () => {
  it.each([
    ['', []],
    ['&&', []],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=b', [['', 'b']]],
    ['a=b=c', [['a', 'b=c']]],
    [
      'a=1&a=2',
      [
        ['a', '1'],
        ['a', '2'],
      ],
    ],
    ['a=x+y%20z%2B', [['a', 'x y z+']]],
    ['a=%C3%A4ü', [['a', 'äü']]],
    [
      'a=M%FCller&%E4=%80',
      [
        ['a', 'Müller'],
        ['ä', '€'],
      ],
    ],
    [
      'a=%C3%A4&b=%E4',
      [
        ['a', 'ä'],
        ['b', 'ä'],
      ],
    ],
    ['a=%C0%80', [['a', 'À€']]],
    ['a=1;b=2', [['a', '1;b=2']]],
  ])('reads %j', (text, entries) => {
    expect(parseQueryString(text)).toEqual(entries);
  });

  it.each(['%', '%4', '%zz', 'ok=1&bad=%'])('refuses %j and never guesses', (text) => {
    expect(refusalOf(() => parseQueryString(text)).code).toBe('request.malformed');
  });

  it('reads every text as URLSearchParams wrote it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' }))),
        (entries) => {
          expect(parseQueryString(new URLSearchParams(entries).toString())).toEqual(entries);
        },
      ),
    );
  });
});

describe('decodeUtf8', () => {
  it('refuses bytes that are not UTF-8', () => {
    expect(refusalOf(() => decodeUtf8(Buffer.from([0x61, 0xff]))).code).toBe('request.malformed');
  });
});
