import { ServerFailure } from '../api/server-failure.ts';

/** Milliseconds before another attempt: at first, and at most. */
const PAUSE = { first: 1_000, max: 30_000 };
/** Milliseconds between two attempts to reach a server that does not answer, at most: somebody waits for it. */
const MAX_PAUSE_MS = 5_000;
/** The longest pause that a server may ask for: it may be back sooner. */
const MAX_REQUESTED_MS = 30_000;
/** Of a read for which a proxy does not wait long enough: the server may be busy with each of them. */
const MAX_SLOW_READS = 3;
const GATEWAY_TIMEOUT = 504;

/**
 * @param failures the attempts that have failed before this one
 * @returns true if the same is read again: as long as the page is open, which says that it goes on
 */
export function isReadAgain(failures: number, error: Error): boolean {
  return (
    error instanceof ServerFailure &&
    error.isAway &&
    (error.status !== GATEWAY_TIMEOUT || failures + 1 < MAX_SLOW_READS)
  );
}

/**
 * @param failures the attempts that have failed before this one
 * @param chance from 0 to 1
 * @returns milliseconds before the next attempt: not before the server wants it, half a minute at most
 */
export function pauseBeforeNext(failures: number, error: Error, chance: number): number {
  const requested = error instanceof ServerFailure ? (error.retryAfter ?? 0) * 1_000 : 0;
  return Math.max(
    Math.min(pauseAfter(failures + 1, chance), MAX_PAUSE_MS),
    Math.min(requested, MAX_REQUESTED_MS),
  );
}

/**
 * @param failures the attempts in a row that have failed
 * @param chance from 0 to 1, so that the browsers of a server that was restarted do not come back at one moment
 * @returns milliseconds before the next attempt
 */
export function pauseAfter(failures: number, chance: number): number {
  const pause = Math.min(PAUSE.max, PAUSE.first * 2 ** Math.max(0, failures - 1));
  return pause * (0.5 + chance / 2);
}
