import type { Random } from '../kernel/clock.ts';

const FIRST_MS = 10_000;
const MAX_DELAY_MS = 3 * 3_600_000;

/**
 * The pause after a failed attempt: 10 s, doubled with each further one, three hours at most, each varied by a quarter
 * so that what failed together is not repeated together.
 * @param attempts so far, 1 or more
 * @returns milliseconds
 */
export function retryDelay(attempts: number, random: Random): number {
  const delay = Math.min(FIRST_MS * 2 ** Math.min(attempts - 1, 30), MAX_DELAY_MS);
  return Math.round(delay * 0.75 + random.below(Math.round(delay / 2) + 1));
}
