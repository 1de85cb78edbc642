import { describe, expect, it } from '@jest/globals';
import { asciiRefusal, looseRepr, plainRepr, unicodeRepr } from '../../../src/http/dialects/python-text.ts';

describe('a text as Python 2 prints it', () => {
  it.each([
    ['abc', "u'abc'"],
    ['', "u''"],
    ['äö', "u'\\xe4\\xf6'"],
    ['日', "u'\\u65e5'"],
    ['😀', "u'\\U0001f600'"],
    ["it's", 'u"it\'s"'],
    ['it\'s "so"', "u'it\\'s \"so\"'"],
    ['a\\b\n\t\r\x01\x7f', "u'a\\\\b\\n\\t\\r\\x01\\x7f'"],
  ])('is, for %j, %s', (text, printed) => {
    expect(unicodeRepr(text)).toBe(printed);
    expect(plainRepr(text)).toBe(printed.slice(1));
  });

  it('has its u only where it must, if it may be without', () => {
    expect(looseRepr('abc')).toBe("'abc'");
    expect(looseRepr('ä')).toBe("u'\\xe4'");
  });
});

describe('the message of Python 2 for a text that is not ASCII', () => {
  it.each([
    ['plain', undefined],
    ['ä', "'ascii' codec can't encode character u'\\xe4' in position 0: ordinal not in range(128)"],
    ['aäöb', "'ascii' codec can't encode characters in position 1-2: ordinal not in range(128)"],
    ['xä', "'ascii' codec can't encode character u'\\xe4' in position 1: ordinal not in range(128)"],
    ['xäöü', "'ascii' codec can't encode characters in position 1-3: ordinal not in range(128)"],
  ])('is, for %j, %j', (text, said) => {
    expect(asciiRefusal(text)).toBe(said);
  });
});
