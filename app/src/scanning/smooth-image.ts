/** An image as RGBA bytes, row by row. */
export interface PixelImage {
  readonly pixels: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/**
 * The looks at an image, which take turns. jsQR takes the noise of a dim room for modules: a mean of 3×3 pixels has
 * little more than a third of it, and half of the size, which is better for near codes, half.
 */
export const LOOKS = ['raw', 'smooth', 'half'] as const;

/** How much more a pixel counts than its neighbour: with less, the small modules of a dense code run together. */
const WEIGHT = 2;

/**
 * @returns the image in greys, each a mean of 3×3 pixels. At the border some are the pixel's own, or of the other side: a
 *   frame of one colour would spoil the thresholds of jsQR, which takes them over from left and top
 */
export function smoothImage({ pixels, width, height }: PixelImage): PixelImage {
  const at = (values: ArrayLike<number>, place: number): number => values[place] ?? 0;
  const mean = (values: Float32Array, distance: number): Float32Array =>
    values.map((value, place) => {
      const before = place < distance ? value : at(values, place - distance);
      const after = place + distance < values.length ? at(values, place + distance) : value;
      return (before + WEIGHT * value + after) / (WEIGHT + 2);
    });
  const greys = new Float32Array(width * height);
  for (let place = 0; place < greys.length; place += 1) {
    const red = at(pixels, 4 * place);
    const blue = at(pixels, 4 * place + 2);
    greys[place] = 0.3 * red + 0.6 * at(pixels, 4 * place + 1) + 0.1 * blue;
  }
  const smooth = new Uint8ClampedArray(pixels.length).fill(255);
  mean(mean(greys, 1), width).forEach((grey, place) => {
    smooth[4 * place] = grey;
    smooth[4 * place + 1] = grey;
    smooth[4 * place + 2] = grey;
  });
  return { pixels: smooth, width, height };
}
