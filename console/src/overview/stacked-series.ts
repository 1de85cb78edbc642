/** Numbers that stand upon those of the series before. */
interface StackedSeries {
  /** Null: none. */
  readonly values: readonly (number | null)[];
}

/**
 * @returns the series in the order in which they are drawn, each with the sum of its values and those before it: the
 *   highest sums first, so that the lower ones are drawn over them
 */
export function stacked<One extends StackedSeries>(series: readonly One[]): readonly One[] {
  const sums: number[] = [];
  return series
    .map((one) => ({
      ...one,
      values: one.values.map((value, place) => (sums[place] = (sums[place] ?? 0) + (value ?? 0))),
    }))
    .reverse();
}
