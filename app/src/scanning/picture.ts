import { type Drawable, openQrReader, type Section } from './qr-reader.ts';

/** `not-a-picture`: the browser cannot draw the file. `no-code`: none was found in it. */
export type PictureOutcome =
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'not-a-picture' | 'no-code' | 'too-large' | 'reader' };

/** Photos have less; more would fill the memory of a phone. */
const MAX_FILE_BYTES = 40 * 1024 * 1024;
/** A code that fills the picture is found in a small copy at once; a distant one needs the detail. */
const STEPS = [350, 700, 1_200, 2_000, 3_000];
type PictureSection = Omit<Section, 'isSmooth'>;

/** The quarters of a photo overlap, so that a code on a border is whole in one of them. */
const QUARTER = 0.6;

/** Looks for a QR code in a photo or a screenshot: in copies of growing size, then in its quarters. */
export async function readPicture(file: Blob): Promise<PictureOutcome> {
  if (file.size > MAX_FILE_BYTES) {
    return { kind: 'too-large' };
  }
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (picture === undefined) {
    return { kind: 'not-a-picture' };
  }
  try {
    const text = await search(picture, sectionsOf(picture.width, picture.height));
    return text === null ? { kind: 'no-code' } : { kind: 'code', text };
  } catch {
    return { kind: 'reader' };
  } finally {
    picture.close();
  }
}

async function search(picture: Drawable, sections: readonly PictureSection[]): Promise<string | null> {
  const reader = await openQrReader();
  try {
    for (const section of sections) {
      for (const isSmooth of [false, true]) {
        const text = await reader.read(picture, { ...section, isSmooth });
        if (text !== null) {
          return text;
        }
      }
    }
    return null;
  } finally {
    reader.close();
  }
}

/** @returns the attempts, the cheapest first */
function sectionsOf(width: number, height: number): readonly PictureSection[] {
  const longest = Math.max(width, height);
  const steps = STEPS.filter((_, index) => index === 0 || longest > (STEPS[index - 1] ?? 0));
  const whole = steps.map((longestSide) => ({ x: 0, y: 0, width, height, longestSide }));
  const quarter = { width: Math.ceil(QUARTER * width), height: Math.ceil(QUARTER * height) };
  const quarters = [0, height - quarter.height].flatMap((y) =>
    [0, width - quarter.width].map((x) => ({ x, y, ...quarter, longestSide: 1_600 })),
  );
  return [...whole, ...quarters];
}
