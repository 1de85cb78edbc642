const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** How many padding signs follow 0 to 4 bytes that are left over (RFC 4648 §6). */
const PADDING: readonly string[] = ['', '======', '====', '===', '='];

/** Whole groups of eight, the last of them padded (RFC 4648 §6). */
const FORM = /^(?:[A-Z2-7]{8})*(?:[A-Z2-7]{2}={6}|[A-Z2-7]{4}={4}|[A-Z2-7]{5}={3}|[A-Z2-7]{7}=)?$/;

/** @returns base32 in capitals, padded (RFC 4648 §6) */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let pending = 0;
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) {
      text += ALPHABET.charAt((pending >> (bits - 5)) & 31);
    }
  }
  if (bits > 0) {
    text += ALPHABET.charAt((pending << (5 - bits)) & 31);
  }
  return text + (PADDING[bytes.length % 5] ?? '');
}

/** @returns the bytes, or undefined where the text is not base32 in capitals, padded (RFC 4648 §6) */
export function decodeBase32(text: string): Buffer | undefined {
  if (!FORM.test(text)) {
    return undefined;
  }
  const bytes: number[] = [];
  let bits = 0;
  let pending = 0;
  for (const letter of text.replace(/=+$/, '')) {
    pending = ((pending << 5) | ALPHABET.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((pending >> bits) & 0xff);
    }
  }
  return Buffer.from(bytes);
}
