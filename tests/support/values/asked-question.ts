import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';

/** @returns the question of a challenge, as the URL of its QR code has it; empty: it is of no challenge */
export function questionOf(url: string): string {
  const read = parseQrTanUrl(url);
  return read.kind === 'req' ? read.question : '';
}
