/** Pixels of the image of an URL. */
export const URL_WIDTH = 250;
/** Pixels of the image of a key. */
export const SEED_WIDTH = 200;

/**
 * @returns the URL from which apps import a key
 * @param otpkey hexadecimal
 */
export function seedUrl(otpkey: string): string {
  return `seed://${otpkey}`;
}
