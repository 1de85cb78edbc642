/** Times of one kind of request, in milliseconds, one list a round. */
export type Rounds = readonly (readonly number[])[];

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

/** @returns the median of each round of one over that of the same round of the other: what was busy then hit both */
export function ratiosByRound(one: Rounds, other: Rounds): readonly number[] {
  return one.map((round, index) => median(round) / median(other[index] ?? []));
}

/** @returns the values in the order of a round: each round begins with another one */
export function rotate<Value>(values: readonly Value[], round: number): readonly Value[] {
  const start = round % values.length;
  return [...values.slice(start), ...values.slice(0, start)];
}
