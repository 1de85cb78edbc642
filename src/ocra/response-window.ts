import type { OcraSuite } from './suite.ts';

/** Where a device may stand, and how far from there to look. */
export interface WindowReach {
  readonly suite: OcraSuite;
  /**
   * The token's stored counter: the lowest that was not used yet. For a suite with T and without C it is the earliest
   * second since 1970 that may still be used. Default 0.
   */
  readonly counter?: bigint | undefined;
  /** How many counters to try from the stored one on; at least that one is tried. Default 10. */
  readonly counterWindow?: number | undefined;
  /** Whether to look behind the stored counter too: for a transaction that was never answered. Default false. */
  readonly lookBehind?: boolean | undefined;
  readonly now: Date;
  /** How far the token's clock may be off, in seconds to either side. Default 180. */
  readonly timeWindow?: number | undefined;
  /** How far the token's clock may be fast, in seconds, where that is not `timeWindow`. */
  readonly timeAhead?: number | undefined;
  /** How far the token's clock is known to be off, in seconds: more than 0 where it is fast. Default 0. */
  readonly timeShift?: number | undefined;
}

/** A place where a response may be found. */
export interface Candidate {
  /** For a suite with C. */
  readonly counter?: bigint;
  /** For a suite with T: the number of the time step since 1970. */
  readonly timeStep?: bigint;
  /** For a suite with T: the first second since 1970 that lies in both the step and the window. */
  readonly second?: bigint;
}

/** Every counter with every step is a candidate. Both begin with what is likeliest; neither is empty but for no candidate. */
export interface ResponseWindow {
  /** `{}` alone for a suite without C. */
  readonly counters: readonly Pick<Candidate, 'counter'>[];
  /** `{}` alone for a suite without T. */
  readonly steps: readonly Omit<Candidate, 'counter'>[];
}

const LARGEST_COUNTER = 0xffff_ffff_ffff_ffffn;

/**
 * The candidates for a response (RFC 6287 §5.1, RFC 4226 §7.2).
 *
 * - C: from the stored counter to counter + window - 1, with `lookBehind` also half a window (rounded down) before it.
 * - T: every step that the interval from now - timeWindow up to and without now + timeWindow touches, `timeShift`
 *   considered; the present step always. Without `lookBehind` and without C, nothing before the stored second.
 * - C and T: both. Where that would be more than `most` candidates, the time window is narrowed around the present.
 *
 * @param most candidates, at least 1
 */
export function responseWindow(reach: WindowReach, most: number): ResponseWindow {
  const { suite } = reach;
  const counters = suite.counter ? counterWindow(reach, BigInt(most)) : [{}];
  const steps =
    suite.timeStep === undefined
      ? [{}]
      : timeWindow(reach, BigInt(suite.timeStep), larger(BigInt(most) / BigInt(counters.length), 1n));
  return { counters, steps };
}

/** @returns how many candidates there are */
export function sizeOf({ counters, steps }: ResponseWindow): number {
  return counters.length * steps.length;
}

function counterWindow(
  { counter: stored = 0n, counterWindow: wanted = 10, lookBehind = false }: WindowReach,
  candidates: bigint,
): { counter: bigint }[] {
  const most = lookBehind ? larger(candidates / 2n, 1n) : candidates;
  const size = smaller(larger(BigInt(Math.trunc(wanted)), 1n), most);
  const first = lookBehind ? larger(stored - size / 2n, 0n) : stored;
  const ahead = range(stored, smaller(stored + size - 1n, LARGEST_COUNTER));
  return [...ahead, ...range(first, stored - 1n).reverse()].map((counter) => ({ counter }));
}

/**
 * @param size of a step, in seconds
 * @param most steps to be tried
 */
function timeWindow(reach: WindowReach, size: bigint, most: bigint): { timeStep: bigint; second: bigint }[] {
  const behind = BigInt(Math.trunc(reach.timeWindow ?? 180));
  const ahead = BigInt(Math.trunc(reach.timeAhead ?? reach.timeWindow ?? 180));
  const present = BigInt(reach.now.getTime()) / 1_000n + BigInt(Math.trunc(reach.timeShift ?? 0));
  const from = larger(present - behind, earliestSecond(reach));
  const last = larger(present + ahead - 1n, present);
  if (last < from) {
    return [];
  }
  const nearest = larger(from / size, present / size - most / 2n);
  const steps = range(nearest, smaller(last / size, nearest + most - 1n));
  return outward(steps, present / size).map((timeStep) => ({
    timeStep,
    second: larger(timeStep * size, from),
  }));
}

function earliestSecond({ suite, counter = 0n, lookBehind = false }: WindowReach): bigint {
  return suite.counter || lookBehind ? 0n : counter;
}

/** @returns ascending numbers in the order of their distance from the middle */
function outward(ascending: readonly bigint[], middle: bigint): bigint[] {
  const behind = ascending.filter((number) => number < middle).reverse();
  const ahead = ascending.slice(behind.length);
  return Array.from({ length: Math.max(ahead.length, behind.length) }, (_, distance) => [
    ...ahead.slice(distance, distance + 1),
    ...behind.slice(distance, distance + 1),
  ]).flat();
}

function range(first: bigint, last: bigint): bigint[] {
  const length = Math.max(0, Number(last - first) + 1);
  return Array.from({ length }, (_, index) => first + BigInt(index));
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}
