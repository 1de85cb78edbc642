import { equalText } from '../kernel/constant-time.ts';
import { respond } from './compute.ts';
import { dataInputTemplate, type FixedInputs } from './data-input.ts';
import { type OcraSuite, responseLength } from './suite.ts';

/** A response to be checked, and where to search. */
export interface ResponseCheck extends FixedInputs {
  readonly suite: OcraSuite;
  readonly key: Uint8Array;
  /** What the user sent. Hexadecimal digits (truncation 0) may be in either letter case. */
  readonly response: string;
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
  /** How far the token's clock is known to be off, in seconds: more than 0 where it is fast. Default 0. */
  readonly timeShift?: number | undefined;
}

/** Where the response was found. */
export type Verification =
  | { readonly matched: false }
  | {
      readonly matched: true;
      /** For a suite with C: the counter that the token used. The next one to be stored is this plus one. */
      readonly counter?: bigint;
      /** For a suite with T: the number of the matching time step since 1970. */
      readonly timeStep?: bigint;
      /** For a suite with T: the first second since 1970 that lies in both the matching step and the window. */
      readonly second?: bigint;
    };

type Candidate = Omit<Extract<Verification, { matched: true }>, 'matched'>;

/** More responses than this are never computed for one check, whatever the windows. */
const MOST_CANDIDATES = 10_000n;
const LARGEST_COUNTER = 0xffff_ffff_ffff_ffffn;

/**
 * Looks for a response in the token's windows (RFC 6287 §5.1, RFC 4226 §7.2).
 *
 * - C: from the stored counter to counter + window - 1, with `lookBehind` also half a window (rounded down) before it.
 * - T: every step that the interval from now - timeWindow up to and without now + timeWindow touches, `timeShift`
 *   considered; the present step always. Without `lookBehind` and without C, nothing before the stored second.
 * - C and T: both. Where that would be more than 10 000 candidates, the time window is narrowed around the present.
 *
 * Every candidate is computed and compared in constant time, and none is left out after a match, so the time taken says
 * nothing. Should several match, the lowest counter at or above the stored one counts, else the highest below it; of
 * several steps, the earliest.
 * @throws ServiceError 'data-input.invalid' where question, PIN, session or key is missing or wrong
 */
export function verifyResponse(check: ResponseCheck): Verification {
  const { suite, key } = check;
  const dataInput = dataInputTemplate(suite, check);
  const response = comparable(suite, check.response);
  const matches: Candidate[] = [];
  for (const candidate of candidates(check)) {
    dataInput.setCounter(candidate.counter ?? 0n);
    dataInput.setTimeStep(candidate.timeStep ?? 0n);
    if (equalText(respond(suite, key, dataInput.bytes), response)) {
      matches.push(candidate);
    }
  }
  return choose(matches, check.counter ?? 0n);
}

/** Cut, as a longer one is wrong anyway: hashing 64 KiB for every candidate would be a gift to an attacker. */
function comparable(suite: OcraSuite, response: string): string {
  const cut = response.slice(0, responseLength(suite) + 1);
  return suite.truncation === 0 ? cut.toLowerCase() : cut;
}

/** @param matches in ascending order of counters and steps */
function choose(matches: readonly Candidate[], stored: bigint): Verification {
  const ahead = matches.find(({ counter }) => counter === undefined || counter >= stored);
  const highest = matches.at(-1)?.counter;
  const found = ahead ?? matches.find(({ counter }) => counter === highest);
  return found === undefined ? { matched: false } : { matched: true, ...found };
}

function candidates(check: ResponseCheck): Candidate[] {
  const { suite } = check;
  const counters = suite.counter ? counterWindow(check).map((counter) => ({ counter })) : [{}];
  if (suite.timeStep === undefined) {
    return counters;
  }
  const steps = timeWindow(
    check,
    BigInt(suite.timeStep),
    larger(MOST_CANDIDATES / BigInt(counters.length), 1n),
  );
  return counters.flatMap((counter) => steps.map((step) => ({ ...counter, ...step })));
}

function counterWindow(check: ResponseCheck): bigint[] {
  const stored = check.counter ?? 0n;
  const most = check.lookBehind === true ? MOST_CANDIDATES / 2n : MOST_CANDIDATES;
  const size = smaller(larger(BigInt(Math.trunc(check.counterWindow ?? 10)), 1n), most);
  const first = check.lookBehind === true ? larger(stored - size / 2n, 0n) : stored;
  return range(first, smaller(stored + size - 1n, LARGEST_COUNTER));
}

/**
 * @param size of a step, in seconds
 * @param most steps to be tried
 */
function timeWindow(
  check: ResponseCheck,
  size: bigint,
  most: bigint,
): { timeStep: bigint; second: bigint }[] {
  const tolerance = BigInt(Math.trunc(check.timeWindow ?? 180));
  const present = BigInt(check.now.getTime()) / 1_000n + BigInt(Math.trunc(check.timeShift ?? 0));
  const from = larger(present - tolerance, earliestSecond(check));
  const last = larger(present + tolerance - 1n, present);
  if (last < from) {
    return [];
  }
  const nearest = larger(from / size, present / size - most / 2n);
  return range(nearest, smaller(last / size, nearest + most - 1n)).map((timeStep) => ({
    timeStep,
    second: larger(timeStep * size, from),
  }));
}

function earliestSecond({ suite, counter, lookBehind }: ResponseCheck): bigint {
  return suite.counter || lookBehind === true ? 0n : (counter ?? 0n);
}

function range(first: bigint, last: bigint): bigint[] {
  return Array.from({ length: Number(last - first) + 1 }, (_, index) => first + BigInt(index));
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}
