/** Times of one kind of request, in milliseconds, one list a round. */
export type Rounds = readonly (readonly number[])[];

/** The statistics of the samples, in milliseconds. */
export interface Summary {
  readonly median: number;
  readonly p99: number;
  /** Medians of the quickest and of the slowest round. */
  readonly spread: readonly [least: number, most: number];
}

/**
 * @param share 0.5 for the median
 * @returns the smallest value that at least this share of all values does not exceed
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** @returns least and greatest value */
export function range(values: readonly number[]): readonly [least: number, most: number] {
  return [Math.min(...values), Math.max(...values)];
}

export function summarise(rounds: Rounds): Summary {
  const all = rounds.flat();
  return { median: median(all), p99: quantile(all, 0.99), spread: range(rounds.map(median)) };
}

/** @returns the median of each round of one over that of the same round of the other: what was busy then hit both */
export function ratiosByRound(one: Rounds, other: Rounds): readonly number[] {
  return one.map((round, index) => median(round) / median(other[index] ?? []));
}
