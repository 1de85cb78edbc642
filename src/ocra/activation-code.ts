import { base32 } from '@scure/base';
import type { RandomBytes } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'activation-code.invalid': { readonly fault: ActivationCodeFault };
  }
}

/** The fault of an activation code: its length, one of its characters, or its checksum. */
export type ActivationCodeFault = 'padding' | 'alphabet' | 'checksum';

/*
 * An activation code is typed into the app in the second phase of the roll-out: bytes in base32 (RFC 4648), then two
 * capital hexadecimal digits, the XOR of all bytes, which detect a mistyped character.
 */

/** Ten bytes make sixteen letters without padding. */
const RANDOM_BYTES = 10;
const CHECKSUM_LENGTH = 2;
/** RFC 4648 §6. */
const GROUP_LENGTH = 8;

/** @returns base32, padded, and the checksum: no bytes at all give `00` */
export function encodeActivationCode(bytes: Uint8Array): string {
  return encodeBase32(bytes) + checksum(bytes);
}

/** @returns a fresh code of 80 random bits: 18 characters */
export function randomActivationCode(random: RandomBytes): string {
  return encodeActivationCode(random.bytes(RANDOM_BYTES));
}

/**
 * Corrects typed codes: small letters, a zero for the letter O before the checksum (base32 has no zero), the letter O
 * for a zero in it (hexadecimal has no O). Dashes stay; `decodeActivationCode` drops them.
 */
export function normalizeActivationCode(text: string): string {
  const capitals = text.toUpperCase();
  const boundary = Math.max(0, capitals.length - CHECKSUM_LENGTH);
  return capitals.slice(0, boundary).replaceAll('0', 'O') + capitals.slice(boundary).replaceAll('O', '0');
}

/**
 * Reads a code, with dashes anywhere in it. Letters must be capitals: typed codes go through `normalizeActivationCode`
 * first.
 * @throws ServiceError 'activation-code.invalid', whose `fault` is the first of 'padding', 'alphabet' and 'checksum' that
 *   is wrong; the message does not hold the code
 */
export function decodeActivationCode(text: string): Uint8Array {
  const code = text.replaceAll('-', '');
  if (code.length < CHECKSUM_LENGTH) {
    throw invalid('checksum', 'it is too short');
  }
  const letters = code.slice(0, -CHECKSUM_LENGTH);
  const bytes = decodeBase32(letters);
  if (bytes === undefined) {
    throw undecodable(letters);
  }
  if (checksum(bytes) !== code.slice(-CHECKSUM_LENGTH)) {
    throw invalid('checksum', 'its checksum is wrong, so something is mistyped');
  }
  return bytes;
}

/** Of both faults at once, the message names the characters, but `fault` the length, which LinOTP checks first. */
function undecodable(letters: string): ServiceError {
  const isForeign = !/^[A-Z2-7]*=*$/.test(letters);
  return invalid(
    isForeign && letters.length % GROUP_LENGTH === 0 ? 'alphabet' : 'padding',
    isForeign
      ? 'it must be capital letters and the digits 2 to 7, then two hexadecimal digits'
      : 'characters are missing or too many',
  );
}

function checksum(bytes: Uint8Array): string {
  return bytes
    .reduce((sum, byte) => sum ^ byte, 0)
    .toString(16)
    .toUpperCase()
    .padStart(CHECKSUM_LENGTH, '0');
}

function invalid(fault: ActivationCodeFault, what: string): ServiceError {
  return new ServiceError('activation-code.invalid', `The activation code is wrong: ${what}.`, {
    fault,
  });
}

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
