import { median } from './sample-statistics.ts';

/** The difference of two kinds of samples. */
export interface SampleDifference {
  /** Median of the second kind less that of the first. */
  readonly shift: number;
  /** The interval in which the shift of all samples that could have been drawn lies, with 95 % confidence. */
  readonly interval: readonly [least: number, most: number];
  /** Of the Mann–Whitney U test, two-sided: how often samples of one and the same kind would look as different. */
  readonly p: number;
}

const RESAMPLES = 2_000;
const TAIL = 0.025;

/**
 * @param one samples of the first kind
 * @param other samples of the second kind, each drawn next to the one of the same index
 */
export function sampleDifference(one: readonly number[], other: readonly number[]): SampleDifference {
  return {
    shift: median(other) - median(one),
    interval: shiftInterval(one, other),
    p: mannWhitney(one, other),
  };
}

/**
 * Holm's step-down procedure: bounds the chance of one false alarm among all tests.
 * @returns for each p-value whether its difference is found
 */
export function holm(pValues: readonly number[], alpha: number): readonly boolean[] {
  const order = pValues.map((p, index) => ({ p, index })).sort((left, right) => left.p - right.p);
  const kept = order.findIndex(({ p }, rank) => p > alpha / (pValues.length - rank));
  const found = new Set(order.slice(0, kept === -1 ? undefined : kept).map(({ index }) => index));
  return pValues.map((_p, index) => found.has(index));
}

/** Percentile bootstrap. Neighbours are drawn together: what the machine did at that moment hit both. */
function shiftInterval(
  one: readonly number[],
  other: readonly number[],
): readonly [least: number, most: number] {
  const size = Math.min(one.length, other.length);
  const drawn = [new Float64Array(size), new Float64Array(size)] as const;
  const shifts = new Float64Array(RESAMPLES);
  for (let resample = 0; resample < RESAMPLES; resample += 1) {
    for (let index = 0; index < size; index += 1) {
      const chosen = Math.floor(Math.random() * size);
      drawn[0][index] = one[chosen] ?? Number.NaN;
      drawn[1][index] = other[chosen] ?? Number.NaN;
    }
    shifts[resample] = middle(drawn[1].sort()) - middle(drawn[0].sort());
  }
  shifts.sort();
  const at = (share: number): number => shifts[Math.round(share * (RESAMPLES - 1))] ?? Number.NaN;
  return [at(TAIL), at(1 - TAIL)];
}

function middle(sorted: Float64Array): number {
  return sorted[Math.max(0, Math.ceil(sorted.length / 2) - 1)] ?? Number.NaN;
}

/** By the normal approximation, with the correction for ties; for some 20 samples of each kind and more. */
function mannWhitney(one: readonly number[], other: readonly number[]): number {
  const all = [
    ...one.map((value) => ({ value, isOne: true })),
    ...other.map((value) => ({ value, isOne: false })),
  ];
  all.sort((left, right) => left.value - right.value);
  let rankSum = 0;
  let ties = 0;
  for (let first = 0; first < all.length;) {
    let next = first + 1;
    while (next < all.length && all[next]?.value === all[first]?.value) {
      next += 1;
    }
    const size = next - first;
    const rank = (first + 1 + next) / 2;
    rankSum += rank * all.slice(first, next).filter(({ isOne }) => isOne).length;
    ties += size ** 3 - size;
    first = next;
  }
  const [m, n] = [one.length, other.length];
  const u = rankSum - (m * (m + 1)) / 2;
  const variance = ((m * n) / 12) * (m + n + 1 - ties / ((m + n) * (m + n - 1)));
  return variance === 0 ? 1 : Math.min(1, 2 * upperTail(Math.abs(u - (m * n) / 2) / Math.sqrt(variance)));
}

/** Of the standard normal distribution. Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17: to 1e-7. */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.231_641_9 * z);
  const terms = [0.319_381_53, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
  const polynomial = terms.reduceRight((sum, term) => (sum + term) * t, 0);
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
}
