import type { ReadyToken } from '../../../src/device/device-token.ts';
import type { RestoredState, Vault } from '../vault/vault.ts';

/** Half of the 1000 counters in which a server finds two consecutive responses: far more than most confirm in a year. */
const AHEAD = 500n;

/**
 * Refusals after which nothing more is sent: before the move ahead, and since. Servers lock a token after ten by default.
 * Those that resynchronise by themselves accept the second response after the move.
 */
const MOST_REFUSALS = { behind: 3, ahead: 2 };

/** @returns false where one more wrong response would only bring the lock nearer */
export function mayBeSent({ refusals, isAhead }: RestoredState): boolean {
  return refusals < MOST_REFUSALS[isAhead ? 'ahead' : 'behind'];
}

/**
 * Moves a restored token ahead of all that was confirmed since its backup. From then on the server takes two of its
 * responses in a row to be in step with it (RFC 4226 §7.4).
 * @throws VaultError
 */
export async function moveAhead(vault: Vault, token: ReadyToken): Promise<void> {
  await vault.saveToken({ ...token, counter: (BigInt(token.counter) + AHEAD).toString() });
  await vault.noteRestored(token.serial, { refusals: 0, isAhead: true });
}
