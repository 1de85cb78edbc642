import jsqr from 'jsqr';
import { PNG } from 'pngjs';

/** @returns the text of the QR code in the picture */
export function readQrCode(png: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(png);
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data;
}
