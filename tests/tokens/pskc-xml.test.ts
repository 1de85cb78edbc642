import { describe, expect, it } from '@jest/globals';
import { lineCounter, lineOf, parseXml } from '../../src/tokens/pskc-xml.ts';

it('a document is read with a byte order mark before it, and refused with two', () => {
  expect(parseXml('\ufeff<?xml version="1.0"?>\n<KeyContainer/>')).toMatchObject({
    name: 'KeyContainer',
    line: 2,
  });
  expect(() => parseXml('\ufeff\ufeff<?xml version="1.0"?><KeyContainer/>')).toThrow();
});

describe('the line of a place in a document', () => {
  it('is counted from 1, for places in their order', () => {
    const text = 'a\nbc\n\nd';
    const lineAt = lineCounter(text);
    const places = Array.from({ length: text.length }, (_, index) => index);
    expect(places.map(lineAt)).toEqual([1, 1, 2, 2, 2, 3, 4]);
    expect(places.map((index) => lineOf(text, index))).toEqual([1, 1, 2, 2, 2, 3, 4]);
  });

  it('is found by one look over the document, however many places are asked for', () => {
    const text = `\n\n${'<a/>'.repeat(1_000)}`;
    let seen = 0;
    const watched = {
      indexOf: (part: string, from = 0) => {
        const found = text.indexOf(part, from);
        seen += (found === -1 ? text.length : found + 1) - from;
        return found;
      },
    } as string;
    const lineAt = lineCounter(watched);
    const lines = Array.from({ length: 1_000 }, (_, index) => lineAt(2 + 4 * index));
    expect(new Set(lines)).toEqual(new Set([3]));
    expect(seen).toBe(text.length);
  });
});
