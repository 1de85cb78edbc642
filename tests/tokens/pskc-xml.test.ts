import { describe, expect, it } from '@jest/globals';
import { refusalOf } from '../support/values/refusal.ts';
import { decodePskc } from '../../src/tokens/key-file.ts';
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

describe('the encoding of a PSKC file', () => {
  const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
  const utf8 = (text: string): Buffer => Buffer.from(text);
  const declaring = (encoding: string): string => `<?xml version="1.0" encoding="${encoding}"?><ä/>`;

  it.each<[string, string, (text: string) => Buffer]>([
    ['UTF-8', '<ä/>', utf8],
    ['UTF-8 with its mark', '\ufeff<ä/>', utf8],
    ['declared UTF-8', declaring('UTF-8'), utf8],
    ['ISO-8859-1', declaring('ISO-8859-1'), (text) => Buffer.from(text, 'latin1')],
    ['ISO-8859-15', declaring('iso-8859-15'), (text) => Buffer.from(text, 'latin1')],
    ['windows-1252', declaring('Windows-1252'), (text) => Buffer.from(text, 'latin1')],
    ['UTF-16 with its mark', '\ufeff<ä/>', utf16],
    ['UTF-16 in the other order', '\ufeff<ä/>', (text) => utf16(text).swap16()],
    ['declared UTF-16', declaring('UTF-16'), utf16],
    ['declared UTF-16 in the other order', declaring('UTF-16'), (text) => utf16(text).swap16()],
    ['UTF-16LE', declaring('UTF-16LE'), utf16],
    ['UTF-16BE', `\ufeff${declaring('UTF-16BE')}`, (text) => utf16(text).swap16()],
  ])('%s is read', (_what, text, encode) => {
    expect(decodePskc(encode(text))).toBe(text.replace('\ufeff', ''));
  });

  it('windows-1252 has its own characters from 0x80 on', () => {
    const head = '<?xml version="1.0" encoding="windows-1252"?>';
    expect(decodePskc(Buffer.from(`${head}\x80\x96`, 'latin1'))).toBe(`${head}€–`);
  });

  it.each<[string, Buffer, RegExp]>([
    ['an unknown encoding', Buffer.from(declaring('x-klingon\n')), /encoding x-klingon is not known/],
    ['UTF-7', Buffer.from(declaring('UTF-7')), /encoding UTF-7 is not known/],
    ['another mark', Buffer.from(`\ufeff${declaring('ISO-8859-1')}`), /ISO-8859-1, and does not begin so/],
    ['UTF-16 that is none', Buffer.from(declaring('UTF-16')), /UTF-16, and does not begin so/],
    ['UTF-8 that is UTF-16', utf16(declaring('UTF-8')), /UTF-8, and does not begin so/],
    ['the other byte order', utf16(declaring('UTF-16BE')), /UTF-16BE, and does not begin so/],
    ['bytes that are not UTF-8', Buffer.from('<a>\n\xe4', 'latin1'), /no text in utf-8: see line 2/],
    ['bytes that are not ASCII', Buffer.from(declaring('US-ASCII')), /no text in US-ASCII/],
    ['half a character', utf16('\ufeff<ä/>').subarray(0, -1), /no text in utf-16le/],
    ['UTF-32', Buffer.from('fffe00003c000000', 'hex'), /no text in utf-16le/],
  ])('%s is refused', (_what, file, message) => {
    const refusal = refusalOf(() => decodePskc(file));
    expect(refusal.code).toBe('key-file.invalid');
    expect(refusal.message).toMatch(message);
  });
});
