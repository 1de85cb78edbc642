import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { create, type QRCode } from 'qrcode';
import { chooseMask } from '../../src/http/qr-mask.ts';
import type { QrLevel } from '../../src/http/qr-segments.ts';

const LEVELS: readonly QrLevel[] = ['M', 'L'];

/** @returns the symbol as the library masks it, and as it is masked here */
function bothWays(text: string, level: QrLevel): { readonly library: QRCode; readonly own: Uint8Array } {
  return {
    library: create(text, { errorCorrectionLevel: level }),
    own: chooseMask(create(text, { errorCorrectionLevel: level, maskPattern: 0 }).modules, level).data,
  };
}

function expectEqual({ library, own }: ReturnType<typeof bothWays>): void {
  expect(Buffer.from(own).equals(Buffer.from(library.modules.data))).toBe(true);
}

describe('chooseMask', () => {
  it('chooses the mask that the library chooses, each of the eight', () => {
    const masks = Array.from({ length: 200 }, (_, index) => {
      const text = createHash('sha256').update(String(index)).digest('base64');
      const both = bothWays(text, 'M');
      expectEqual(both);
      return both.library.maskPattern;
    });
    expect(new Set(masks).size).toBe(8);
  });

  it('chooses it for any text', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 400 }), fc.constantFrom(...LEVELS), (text, level) => {
        expectEqual(bothWays(text, level));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['one colour', '\0'.repeat(400)],
    ['digits', '1'.repeat(700)],
    ['the largest symbol', 'z'.repeat(2_331)],
  ])('chooses it for %s', (_, text) => {
    LEVELS.forEach((level) => {
      expectEqual(bothWays(text, level));
    });
  });
});
