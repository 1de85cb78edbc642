import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import { encodeQR } from 'qr';
import { drawQrCode } from '../../src/http/qr-picture.ts';
import { readQrCode } from '../support/values/qr-code.ts';
import { anyText } from '../support/values/any-text.ts';

const INIT_URL = `lseqr://init?sh=${'5e'.repeat(32)}&os=OCRA-1%3AHOTP-SHA256-8%3AC-QA64&se=LSQR1A2B3C4D`;

/** `fc.webUrl` makes a table of all code points first. */
const addresses = fc
  .tuple(fc.domain(), fc.stringMatching(/^[\w/?=&%.~-]{0,80}$/))
  .map(([domain, rest]) => `https://${domain}/${rest}`);

/** @returns the grey of each pixel, row by row */
function pixelsOf(png: Buffer): Buffer {
  return PNG.sync.read(png).data.filter((_, place) => place % 4 === 0) as Buffer;
}

/** @returns the grey of each pixel of a code whose modules are so many pixels wide */
function greys(text: string, ecc: 'low' | 'medium', scale: number): Buffer {
  const modules = encodeQR(text, 'raw', { ecc, border: 4, scale });
  return Buffer.from(modules.flat().map((isDark) => (isDark ? 0 : 255)));
}

describe('drawQrCode', () => {
  it('draws text of any language', () => {
    const text = 'lseqr://req?me=ä€\u{1f600}';
    expect(readQrCode(drawQrCode(text))).toBe(text);
  });

  it('draws the longest text that a QR code holds', () => {
    expect(drawQrCode('x'.repeat(2_953)).subarray(1, 4).toString()).toBe('PNG');
  });

  it('names the text that is too long', () => {
    expect(() => drawQrCode('x'.repeat(2_954))).toThrow(
      expect.objectContaining({ code: 'challenge.too-long' }),
    );
  });

  it('draws 4 pixels a module without a width, and with one that has no pixel for each', () => {
    const modules = encodeQR(INIT_URL, 'raw', { ecc: 'medium', border: 4 }).length;
    expect(pixelsOf(drawQrCode(INIT_URL)).equals(greys(INIT_URL, 'medium', 4))).toBe(true);
    expect(pixelsOf(drawQrCode(INIT_URL, modules - 1)).equals(greys(INIT_URL, 'medium', 4))).toBe(true);
    expect(pixelsOf(drawQrCode(INIT_URL, modules)).equals(greys(INIT_URL, 'medium', 1))).toBe(true);
    expect(pixelsOf(drawQrCode(INIT_URL, 3 * modules)).equals(greys(INIT_URL, 'medium', 3))).toBe(true);
  });

  it.each([
    ['with the better error correction where that holds it', 'y'.repeat(2_331), 'medium'],
    ['with the other one beyond that', 'y'.repeat(2_332), 'low'],
  ] as const)('draws a long text %s', (_, text, level) => {
    expect(pixelsOf(drawQrCode(text)).equals(greys(text, level, 4))).toBe(true);
  });

  it('draws any text, and as wide as asked for', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText({ minLength: 1, maxLength: 300 }), addresses, fc.nat().map(String)),
        fc.integer({ min: 250, max: 600 }),
        (text, width) => {
          const png = drawQrCode(text, width);
          const { width: drawn, height } = PNG.sync.read(png);
          expect([drawn, height]).toEqual([width, width]);
          expect(readQrCode(png)).toBeDefined();
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each([undefined, 200, 250, 1_000])('is readable at the width %s', (width) => {
    expect(readQrCode(drawQrCode(INIT_URL, width))).toBe(INIT_URL);
  });
});
