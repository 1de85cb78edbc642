import { type Bytes, utf8 } from './sealing.ts';

/** OWASP's least number of rounds of PBKDF2-HMAC-SHA256. */
export const MIN_ROUNDS = 600_000;
/** A fast computer's choice must stay bearable on a slow phone that opens its backup; a hostile file must not hang it. */
export const MAX_ROUNDS = 4_000_000;
/** The time that a derivation is to take, in milliseconds. */
const TARGET = 500;
const TRIAL_ROUNDS = 100_000;

/** A salt and the cost of PBKDF2. */
export interface PassphraseCost {
  readonly salt: Bytes;
  readonly rounds: number;
}

/**
 * The key of a PIN or a passphrase: PBKDF2-HMAC-SHA256 (RFC 8018 §5.2), for AES-256-GCM. The text is taken in NFC, as
 * keyboards write the same letter differently.
 */
export async function passphraseKey(
  passphrase: string,
  { salt, rounds }: PassphraseCost,
): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey('raw', utf8(passphrase.normalize('NFC')), 'PBKDF2', false, [
    'deriveKey',
  ]);
  return crypto.subtle.deriveKey(
    { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: rounds },
    secret,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  );
}

/**
 * Measures what this device computes in half a second.
 * @param stopwatch a monotonic clock, in milliseconds
 * @returns a number of rounds in thousands, between the bounds
 */
export async function measuredRounds(stopwatch: () => number): Promise<number> {
  const salt = new Uint8Array(16);
  // The first derivation also loads code.
  await passphraseKey('warm-up', { salt, rounds: 1_000 });
  const start = stopwatch();
  await passphraseKey('trial', { salt, rounds: TRIAL_ROUNDS });
  const rounds = (TRIAL_ROUNDS * TARGET) / Math.max(stopwatch() - start, 1);
  return Math.min(MAX_ROUNDS, Math.max(MIN_ROUNDS, Math.round(rounds / 1_000) * 1_000));
}
