import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import { toBuffer } from 'qrcode';
import { drawQrCode } from '../../src/http/qr-picture.ts';
import { readQrCode } from '../support/values/qr-code.ts';
import { anyText } from '../support/values/any-text.ts';

const INIT_URL = `lseqr://init?sh=${'5e'.repeat(32)}&os=OCRA-1%3AHOTP-SHA256-8%3AC-QA64&se=LSQR1A2B3C4D`;

/** `fc.webUrl` makes a table of all code points first. */
const addresses = fc
  .tuple(fc.domain(), fc.stringMatching(/^[\w/?=&%.~-]{0,80}$/))
  .map(([domain, rest]) => `https://${domain}/${rest}`);

/** @returns the pixels of the picture that the library draws itself, which it need not compress well */
async function libraryPixels(text: string, width: number | undefined, level: 'L' | 'M'): Promise<Buffer> {
  const rendererOpts = { deflateLevel: 1, filterType: 0 };
  const png = await toBuffer(text, {
    errorCorrectionLevel: level,
    rendererOpts,
    ...(width !== undefined && { width }),
  });
  return PNG.sync.read(png).data;
}

function drawnPixels(text: string, width: number | undefined): Buffer {
  return PNG.sync.read(drawQrCode(text, width)).data;
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

  it('draws one bit a pixel, deflated to less than a quarter', () => {
    const png = drawQrCode(INIT_URL, 250);
    expect([png[24], png[25]]).toEqual([1, 0]);
    expect(png.length).toBeLessThan((250 * 250) / 8 / 4);
  });

  it.each([undefined, 50, 52, 53, 54, 199, 200, 250, 251, 1_999, 2_000])(
    'draws the pixels that the library draws for the width %s',
    async (width) => {
      expect(drawnPixels(INIT_URL, width).equals(await libraryPixels(INIT_URL, width, 'M'))).toBe(true);
    },
  );

  it.each([
    ['level M', 'y'.repeat(2_331), 'M'],
    ['level L, beyond what level M holds', 'y'.repeat(2_332), 'L'],
  ] as const)('draws a long text at %s', async (_, text, level) => {
    for (const width of [undefined, 100, 300, 1_000]) {
      expect(drawnPixels(text, width).equals(await libraryPixels(text, width, level))).toBe(true);
    }
  });

  it('draws the pixels that the library draws for any text and width', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(anyText({ minLength: 1, maxLength: 300 }), addresses, fc.nat().map(String)),
        fc.option(fc.integer({ min: 50, max: 600 }), { nil: undefined }),
        async (text, width) => {
          expect(drawnPixels(text, width).equals(await libraryPixels(text, width, 'M'))).toBe(true);
          if (width === undefined || width >= 200) {
            expect(readQrCode(drawQrCode(text, width))).toBeDefined();
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each([undefined, 200, 250, 1_000])('is readable at the width %s', (width) => {
    expect(readQrCode(drawQrCode(INIT_URL, width))).toBe(INIT_URL);
  });
});
