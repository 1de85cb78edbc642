import type { AttemptState } from './vault.ts';

/** Wrong PINs, counted at rest. Not encrypted: it is read while the vault is locked. */
export interface AttemptRecord {
  /** Attempts since the last right PIN. An attempt is counted before its key is derived. */
  readonly failures: number;
  /** The clock when the last one began, in milliseconds since 1970. */
  readonly lastAt: number;
  readonly wipeAfter: number | null;
}

/** The permitted effect of an attempt; the record is stored before anything else happens. */
export type AttemptStart =
  | { readonly kind: 'begun'; readonly record: AttemptRecord }
  | { readonly kind: 'too-early'; readonly record: AttemptRecord }
  | { readonly kind: 'used-up' };

export const NO_ATTEMPTS: AttemptRecord = { failures: 0, lastAt: 0, wipeAfter: null };

/** Seconds to wait after so many wrong PINs; the last one for all that follow. */
const WAITS = [0, 0, 0, 0, 5, 15, 60, 300, 900, 3_600];

/**
 * Begins an attempt.
 * @param now the clock, in milliseconds since 1970
 */
export function beginAttempt(record: AttemptRecord, now: number): AttemptStart {
  const seen = withClock(record, now);
  // First: another tab may be deriving the key of the last attempt, which may be right.
  if (now < retryAt(seen)) {
    return { kind: 'too-early', record: seen };
  }
  return isUsedUp(seen)
    ? { kind: 'used-up' }
    : { kind: 'begun', record: { ...seen, failures: seen.failures + 1, lastAt: now } };
}

/** @returns true if the wrong PINs are as many as remove everything */
export function isUsedUp({ failures, wipeAfter }: AttemptRecord): boolean {
  return wipeAfter !== null && failures >= wipeAfter;
}

/**
 * The record as of a clock. A clock that was set back before the last attempt starts the wait again: it neither ends
 * early, nor lasts until the clock is there again.
 */
export function withClock(record: AttemptRecord, now: number): AttemptRecord {
  return now < record.lastAt ? { ...record, lastAt: now } : record;
}

/** @returns the earliest time of the next attempt */
export function retryAt({ failures, lastAt }: AttemptRecord): number {
  const wait = WAITS[Math.min(failures, WAITS.length - 1)] ?? 0;
  return lastAt + 1_000 * wait;
}

/** @returns the part of the record that the screens show */
export function attemptState(record: AttemptRecord): AttemptState {
  const { failures, wipeAfter } = record;
  return {
    retryAt: retryAt(record),
    attemptsLeft: wipeAfter === null ? null : Math.max(0, wipeAfter - failures),
  };
}
