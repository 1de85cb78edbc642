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

/** @returns the image in greys, each a mean of 3×3 pixels; its border is white */
export function smoothImage({ pixels, width, height }: PixelImage): PixelImage {
  const at = (values: ArrayLike<number>, place: number): number => values[place] ?? 0;
  const greys = new Float32Array(width * height);
  for (let place = 0; place < greys.length; place += 1) {
    const red = at(pixels, 4 * place);
    const blue = at(pixels, 4 * place + 2);
    greys[place] = (0.3 * red + 0.6 * at(pixels, 4 * place + 1) + 0.1 * blue) / (WEIGHT + 2) ** 2;
  }
  const sums = greys.map((grey, place) => at(greys, place - 1) + WEIGHT * grey + at(greys, place + 1));
  const smooth = new Uint8ClampedArray(pixels.length).fill(255);
  for (let y = 1; y < height - 1; y += 1) {
    for (let place = y * width + 1; place < (y + 1) * width - 1; place += 1) {
      const mean = at(sums, place - width) + WEIGHT * at(sums, place) + at(sums, place + width);
      smooth[4 * place] = mean;
      smooth[4 * place + 1] = mean;
      smooth[4 * place + 2] = mean;
    }
  }
  return { pixels: smooth, width, height };
}
