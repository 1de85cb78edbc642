/** Milliseconds before another attempt: at first, and at most. */
const PAUSE = { first: 1_000, max: 30_000 };

/**
 * @param failures the attempts in a row that have failed
 * @param chance from 0 to 1, so that the browsers of a server that was restarted do not come back at one moment
 * @returns milliseconds before the next attempt
 */
export function pauseAfter(failures: number, chance: number): number {
  const pause = Math.min(PAUSE.max, PAUSE.first * 2 ** Math.max(0, failures - 1));
  return pause * (0.5 + chance / 2);
}
