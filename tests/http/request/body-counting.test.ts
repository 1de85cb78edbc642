import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type BodyInspection,
  countBytes,
  countJson,
  countParameters,
  countPieces,
} from '../../../src/http/request/request-body.ts';

/** @returns the number of bytes, given one by one, after which it is refused, with the code; undefined: never */
function refusedAfter(inspect: BodyInspection, body: string): readonly [number, unknown] | undefined {
  const bytes = Buffer.from(body, 'utf8');
  for (let index = 0; index < bytes.length; index += 1) {
    const refusal = inspect(bytes.subarray(index, index + 1));
    if (refusal !== undefined) {
      return [index + 1, refusal.code];
    }
  }
  return undefined;
}

const MALFORMED = 'request.malformed';

describe('the inspection of a body', () => {
  it('counts bytes', () => {
    expect(refusedAfter(countBytes(3), 'abc')).toBeUndefined();
    expect(refusedAfter(countBytes(3), 'abcdef')).toEqual([4, 'request.too-large']);
  });

  it('counts pieces, each of which is kept as a buffer of its own', () => {
    expect(refusedAfter(countPieces(), 'x'.repeat(65_536))).toEqual([261, MALFORMED]);
    const inspect = countPieces();
    for (let piece = 0; piece < 1_024; piece += 1) {
      expect(inspect(Buffer.alloc(64))).toBeUndefined();
    }
  });

  it('counts parameters of a form, including empty ones', () => {
    expect(refusedAfter(countParameters(3), 'a=1&b=2&c=3&')).toBeUndefined();
    expect(refusedAfter(countParameters(3), 'a=1&b=2&c=3&d=4&')).toEqual([16, MALFORMED]);
    expect(refusedAfter(countParameters(3), '&&&&')).toEqual([4, MALFORMED]);
  });

  it('counts members and elements of JSON, at all depths together', () => {
    expect(refusedAfter(countJson(3), '{"a":1,"b":2,"c":3}')).toBeUndefined();
    expect(refusedAfter(countJson(3), '{"a":1,"b":2,"c":3,"d":4}')).toEqual([19, MALFORMED]);
    expect(refusedAfter(countJson(3), '[[1,2],[3,4]]')).toEqual([10, MALFORMED]);
  });

  it('counts the depth of JSON', () => {
    expect(refusedAfter(countJson(3), '[[[[[[[[]]]]]]]]')).toBeUndefined();
    expect(refusedAfter(countJson(3), '[[[[[[[[[]]]]]]]]]')).toEqual([9, MALFORMED]);
    expect(refusedAfter(countJson(3), '{"a":[{"a":[{"a":[{"a":[{"a":1}]}]}]}]}')).toEqual([25, MALFORMED]);
  });

  it('counts nothing inside a text of JSON', () => {
    const text = JSON.stringify({ a: '[{,"\\,[{'.repeat(10), 'b,[{\\"': '' });
    expect(refusedAfter(countJson(2), text)).toBeUndefined();
    expect(refusedAfter(countJson(1), text)).toEqual([text.indexOf(',"b') + 1, MALFORMED]);
  });

  it('never refuses a flat object with no more members than allowed', () => {
    const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.double(), fc.boolean(), fc.constant(null));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value, { minKeys: 1, maxKeys: 5 }), (object) => {
        const members = Object.keys(object).length;
        expect(refusedAfter(countJson(members), JSON.stringify(object))).toBeUndefined();
        expect(members === 1 || refusedAfter(countJson(members - 1), JSON.stringify(object))).toBeTruthy();
      }),
    );
  });
});
