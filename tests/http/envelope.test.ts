import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { envelopeId } from '../../src/http/dialects/documented.ts';
import { asciiJson } from '../../src/http/reply.ts';
import { anyText } from '../support/values/any-text.ts';

describe('asciiJson', () => {
  it('indents by three and escapes all but ASCII', () => {
    expect(asciiJson({ a: ['ä\u007f', '\u{1f600}'] })).toBe(
      '{\n   "a": [\n      "\\u00e4\\u007f",\n      "\\ud83d\\ude00"\n   ]\n}',
    );
  });

  it('can be read back, whatever the text, and is ASCII', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const json = asciiJson({ text });
        expect(JSON.parse(json)).toEqual({ text });
        expect(json).toMatch(/^[\n -~]*$/);
      }),
    );
  });
});

describe('envelopeId', () => {
  it.each([
    [undefined, 1],
    ['7', 7],
    ['0', 0],
    ['-3', -3],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 1],
    ['99999999999999999999', 1],
    ['1.5', 1],
    ['1e3', 1],
    ['0x10', 1],
    [' 7', 1],
    ['', 1],
    ['null', 1],
    ['"><script>', 1],
  ])('of %j is %i', (given, id) => {
    expect(envelopeId(given)).toBe(id);
  });
});
