import { describe, expect, it } from '@jest/globals';

import { assertStorable, isRowId, isStorable, storableForm } from '../../src/kernel/text.ts';

const UNSTORABLE = ['\0', 'a\0b', '\ud800', 'x\udfff', '\udc00\ud800'];

describe('text that the database cannot hold', () => {
  it.each(UNSTORABLE)('%j is told apart, refused, or made storable', (text) => {
    expect(isStorable('fine', text)).toBe(false);
    expect(() => {
      assertStorable('fine', null, undefined, text);
    }).toThrow(/NUL/);
    expect(isStorable(storableForm(text))).toBe(true);
    expect(storableForm(text)).toHaveLength(text.length);
  });

  it.each(['', ' ', 'plain', 'Ännes Gerät', '\u{1f511}', '\ufffd', '\n\u0001'])('%j is none', (text) => {
    expect(isStorable(text, undefined)).toBe(true);
    expect(() => {
      assertStorable(text);
    }).not.toThrow();
    expect(storableForm(text)).toBe(text);
  });
});

describe('the id of a row', () => {
  it.each(['1', '42', '999999999999999999'])('can be %s', (text) => {
    expect(isRowId(text)).toBe(true);
  });

  it.each(['', '0', '-1', '01', '1.0', ' 1', '1\n', '1e3', 'x', '*', '1;', '9223372036854775808', '\0'])(
    'cannot be %j',
    (text) => {
      expect(isRowId(text)).toBe(false);
    },
  );
});
