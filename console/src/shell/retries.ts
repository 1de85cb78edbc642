import { ServerFailure } from '../api/server-failure.ts';
import { pauseAfter } from '../live/backoff.ts';

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
