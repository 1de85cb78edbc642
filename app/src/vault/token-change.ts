import type { DeviceToken } from '../../../src/device/device-token.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { type RestoredToken, type StoredToken, VaultError } from './vault.ts';

/**
 * The distance by which a counter that comes from a backup alone is moved on: half of the server's default window of
 * 10. It passes up to five responses that were given after the backup, and leaves the other half to responses that
 * never arrive. After more than ten the token has to be moved ahead (`moveAhead`).
 */
const RESTORE_STEP = 5n;

/**
 * Replaces a stored token.
 * @throws VaultError 'counter-used' unless the counter of the same key rises
 */
export function replacedToken(before: StoredToken | undefined, token: DeviceToken, now: number): StoredToken {
  if (before === undefined) {
    return { token, name: token.serial, addedAt: now };
  }
  if (sameKey(before.token, token) && !advances(before.token, token)) {
    throw new VaultError('counter-used');
  }
  return sameKey(before.token, token) ? { ...before, token } : { ...before, token, restored: undefined };
}

/**
 * @returns the outcome for a token of a backup
 * @param stored the one of its serial on the phone
 */
export function restoredToken(stored: StoredToken | undefined, backup: StoredToken): RestoredToken {
  if (stored === undefined) {
    return { kind: 'added', stored: steppedOn(backup) };
  }
  if (!sameKey(stored.token, backup.token)) {
    return { kind: 'kept', stored };
  }
  const ready = stored.token.key === null ? backup.token : stored.token;
  const counter = greater(stored.token.counter, backup.token.counter);
  return { kind: 'merged', stored: { ...stored, token: { ...ready, counter } } };
}

/** @returns true if responses of both tokens may be the same; a key is not derived yet in phase 1 of a roll-out */
function sameKey(left: DeviceToken, right: DeviceToken): boolean {
  return (
    left.sharedSecret === right.sharedSecret &&
    left.suite === right.suite &&
    (left.key === right.key || left.key === null || right.key === null)
  );
}

function advances(before: DeviceToken, token: DeviceToken): boolean {
  if (before.key === null) {
    return BigInt(token.counter) >= BigInt(before.counter);
  }
  return (
    token.key !== null &&
    (hasCounter(before)
      ? BigInt(token.counter) > BigInt(before.counter)
      : BigInt(token.counter) >= BigInt(before.counter))
  );
}

function steppedOn(backup: StoredToken): StoredToken {
  const { token } = backup;
  if (token.key === null || !hasCounter(token)) {
    return backup;
  }
  const counter = (BigInt(token.counter) + RESTORE_STEP).toString();
  return { ...backup, token: { ...token, counter }, restored: { refusals: 0, isAhead: false } };
}

function hasCounter(token: DeviceToken): boolean {
  return parseOcraSuite(token.suite).counter;
}

function greater(left: string, right: string): string {
  return BigInt(left) > BigInt(right) ? left : right;
}
