import { ProgressBar } from '../progress-bar.ts';
import { rotate } from '../sample-statistics.ts';
import type { Bench, Figures, Measure } from './measures.ts';

/** Requests a second that a first run is prepared for: with one connection, with several. */
const FIRST_GUESSES = [1_500, 8_000] as const;
/** So many more than the quickest run so far are prepared. */
const SPARE = 1.6;

/** The figures of each measure, one a round. */
export type RoundFigures = ReadonlyMap<Measure, readonly Figures[]>;

/**
 * Runs all measures in each round, each round beginning with another one. Each run warms up; a round in front, which is
 * not counted, lets each server compile its code.
 */
export async function runRounds(
  bench: Bench,
  measures: readonly Measure[],
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<RoundFigures> {
  const all = new Map<Measure, Figures[]>(measures.map((one) => [one, []]));
  const quickest = new Map<Measure, number>();
  const bar = new ProgressBar('runs', (rounds + 1) * measures.length);
  const extent = { seconds, warmUp: Math.min(1, seconds / 3) };
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, one] of rotate(measures, round).entries()) {
      const known = quickest.get(one);
      const rate = known === undefined ? FIRST_GUESSES[one.connections === 1 ? 0 : 1] : known * SPARE;
      const figures = await one.run(bench, extent, Math.ceil(rate * (extent.seconds + extent.warmUp)));
      quickest.set(one, Math.max(known ?? 0, figures.perSecond));
      if (round > 0) {
        all.get(one)?.push(figures);
      }
      bar.show(round * measures.length + index + 1);
    }
  }
  return all;
}
