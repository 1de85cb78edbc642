/** Upper bounds of the classes of durations, in milliseconds; a last class has all longer ones. */
const BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000] as const;

/** Numbers of responses by class of duration: none. */
export const NO_DURATIONS: readonly number[] = new Array<number>(BOUNDS_MS.length + 1).fill(0);

/** @returns the index of the class of a duration */
export function durationClass(milliseconds: number): number {
  const found = BOUNDS_MS.findIndex((bound) => milliseconds <= bound);
  return found === -1 ? BOUNDS_MS.length : found;
}

/** @returns the sums of both, class by class */
export function addDurations(one: readonly number[], other: readonly number[]): readonly number[] {
  return NO_DURATIONS.map((_none, place) => (one[place] ?? 0) + (other[place] ?? 0));
}

/** @returns the number of responses */
export function countOf(durations: readonly number[]): number {
  return durations.reduce((sum, number) => sum + number, 0);
}

/**
 * Estimates a quantile: durations are taken as evenly spread within their class.
 * @param share such as 0.95
 * @returns milliseconds, at most the last bound; undefined without responses
 */
export function quantile(durations: readonly number[], share: number): number | undefined {
  const total = countOf(durations);
  if (total === 0) {
    return undefined;
  }
  const rank = share * total;
  let before = 0;
  for (const [place, upper] of BOUNDS_MS.entries()) {
    const number = durations[place] ?? 0;
    if (number > 0 && before + number >= rank) {
      const lower = BOUNDS_MS[place - 1] ?? 0;
      return Math.round((lower + ((upper - lower) * (rank - before)) / number) * 10) / 10;
    }
    before += number;
  }
  return BOUNDS_MS.at(-1);
}
