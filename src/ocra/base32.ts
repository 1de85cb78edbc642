import { base32 } from '@scure/base';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** @returns base32 in capitals, padded (RFC 4648 §6) */
export function encodeBase32(bytes: Uint8Array): string {
  return base32.encode(bytes);
}

/**
 * Reads base32. The bits of the last letter that belong to no byte may have any value, as in LinOTP.
 * @returns the bytes, or undefined where the text is not base32 in capitals, padded (RFC 4648 §6)
 */
export function decodeBase32(text: string): Uint8Array | undefined {
  try {
    return base32.decode(withoutSurplusBits(text));
  } catch {
    return undefined;
  }
}

/** Sets surplus bits to zero, because the library refuses others (RFC 4648 §3.5 leaves that open). */
function withoutSurplusBits(text: string): string {
  return text.replace(/[A-Z2-7](?==*$)/, (last, place: number) => {
    const surplus = (5 * (place + 1)) % 8;
    return ALPHABET.charAt((ALPHABET.indexOf(last) >> surplus) << surplus);
  });
}
