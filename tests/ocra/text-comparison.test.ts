import { describe, expect, it } from '@jest/globals';
import { textComparison } from '../../src/ocra/compute.ts';

/** A text that reports which of its characters are read. */
function watched(text: string): { readonly text: string; readonly read: number[] } {
  const read: number[] = [];
  const charCodeAt = (index: number): number => {
    read.push(index);
    return text.charCodeAt(index);
  };
  return { text: { length: text.length, charCodeAt } as unknown as string, read };
}

describe('comparison of a response', () => {
  it.each([
    ['12345678', '12345678', true],
    ['12345678', '12345679', false],
    ['12345678', '02345678', false],
    ['12345678', '1234567', false],
    ['1234567', '1234567', false],
    ['1234567', '12345670', false],
    ['123456789', '12345678', false],
    ['', '12345678', false],
    ['', '\0\0\0\0\0\0\0\0', false],
    ['1234567é', '1234567é', true],
    ['1234567e', '1234567é', false],
    // The same low byte.
    ['1234567ı', '12345671', false],
  ])('%j is %j of eight characters: %s', (expected, text, isEqual) => {
    expect(textComparison(expected, 8)(text)).toBe(isEqual);
  });

  it('reads every character, whatever differs', () => {
    for (const text of ['12345678', '02345678', '12345670', 'xxxxxxxx']) {
      const { text: given, read } = watched(text);
      textComparison('12345678', 8)(given);
      expect(read).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    }
  });
});
