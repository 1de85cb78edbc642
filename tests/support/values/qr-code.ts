import jsqr from 'jsqr';
import { PNG } from 'pngjs';

/** @returns what the QR code in the picture says */
export function readQrCode(png: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(png);
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data;
}
