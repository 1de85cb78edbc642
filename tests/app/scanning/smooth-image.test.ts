import { expect, it } from '@jest/globals';
import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { smoothImage } from '../../../app/src/scanning/smooth-image.ts';
import { drawQrCode } from '../../../src/http/qr-picture.ts';

const TEXT = 'lseqr://init?se=LSQR0001';

it('a code in the noise of a dim room is read once it is smoothed', () => {
  const { data, width, height } = PNG.sync.read(drawQrCode(TEXT, 640));
  const pixels = new Uint8ClampedArray(data);
  for (let place = 0, seed = 1; place < pixels.length; place += 4) {
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    // Evenly spread by up to 20 of 255 to either side, the same in each run.
    pixels.fill(40 + 0.7 * (pixels[place] ?? 0) + (40 * seed) / 2 ** 32 - 20, place, place + 3);
  }
  const image = { pixels, width, height };
  expect(jsqr.default(pixels, width, height)).toBeNull();
  const smooth = smoothImage(image);
  expect(jsqr.default(smooth.pixels, width, height)?.data).toBe(TEXT);
});

it('an even picture stays even, up to its border', () => {
  const pixels = new Uint8ClampedArray(4 * 9 * 9).fill(200);
  const smooth = smoothImage({ pixels, width: 9, height: 9 });
  expect(smooth.pixels.filter((_, place) => place % 4 !== 3)).toEqual(
    new Uint8ClampedArray(3 * 81).fill(200),
  );
});
