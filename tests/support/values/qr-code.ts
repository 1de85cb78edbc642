import jsqr from 'jsqr';
import { PNG } from 'pngjs';

/** @returns the text of the QR code in the picture */
export function readQrCode(png: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(png);
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data;
}

/** @returns a PNG picture of that side in base64url, of one colour unless it is noisy */
export function issuerLogo(side = 32, isNoisy = false): string {
  const picture = new PNG({ width: side, height: side });
  picture.data = Buffer.from(
    Array.from({ length: 4 * side * side }, (_, place) => {
      const value = isNoisy ? (place * 2_654_435_761) % 251 : 90;
      return place % 4 === 3 ? 255 : value;
    }),
  );
  return PNG.sync.write(picture).toString('base64url');
}
