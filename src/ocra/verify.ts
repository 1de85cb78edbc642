import {
  type DataInputTemplate,
  dataInputTemplate,
  type FixedInputs,
  MAX_COUNTER,
  responseValues,
  textComparison,
} from './compute.ts';
import { type ResponseAlgorithm, responseLength } from './suite.ts';

/** A response to check, and the window to search. */
export interface ResponseCheck extends FixedInputs, WindowReach {
  readonly key: Uint8Array;
  /** The user's input. Hexadecimal digits (truncation 0) may be in either letter case. */
  readonly response: string;
}

/** Prepares the computation of responses, as `responseValues` does. */
export type Responder = (
  suite: ResponseAlgorithm,
  key: Uint8Array,
) => (dataInput: Uint8Array) => number | string;

/** Maximum number of responses computed for one check, for windows of any size. */
const MAX_CANDIDATES = 10_000;

/**
 * Searches for a response in the token's windows (`responseWindow`), 10 000 candidates at most.
 *
 * Every candidate is computed and compared in constant time, also after a match, so that the time taken reveals
 * nothing. Of several matches, the lowest counter at or above the stored one is chosen, else the highest below it; of
 * several steps, the earliest.
 * @returns the position of the response, undefined where none of the window matches
 * @throws ServiceError 'data-input.invalid' where question, PIN, session or key is missing or wrong
 */
export function verifyResponse(check: ResponseCheck): Candidate | undefined {
  const isRight = positionTest(check, dataInputTemplate(check.suite, check), responseValues);
  const window = responseWindow(check, MAX_CANDIDATES);
  const matches: Candidate[] = [];
  for (const counter of window.counters) {
    for (const step of window.steps) {
      if (isRight(counter, step)) {
        matches.push(candidateAt(window, counter, step));
      }
    }
  }
  return chooseMatch(matches, check.counter);
}

/**
 * @param dataInput of this check; its counter and time step are set
 * @returns a function that is true if the response of a counter and a time step is the one to check
 */
function positionTest(
  { suite, key, response }: Pick<ResponseCheck, 'suite' | 'key' | 'response'>,
  dataInput: DataInputTemplate,
  prepare: Responder,
): (counter: bigint, timeStep: bigint) => boolean {
  const isEqual = comparison(suite, response);
  const respond = prepare(suite, key);
  return (counter, timeStep) => {
    dataInput.setCounter(counter);
    dataInput.setTimeStep(timeStep);
    return isEqual(respond(dataInput.bytes));
  };
}

/** @returns a comparison in constant time with what `responseValues` gives */
function comparison(suite: ResponseAlgorithm, response: string): (value: number | string) => boolean {
  const length = responseLength(suite);
  if (suite.truncation === 0) {
    const isEqual = textComparison(response.toLowerCase(), length);
    return (value) => isEqual(value.toString());
  }
  const expected = response.length === length && /^\d+$/.test(response) ? Number(response) : Number.NaN;
  return (value) => value === expected;
}

/** @returns the chosen one of several matches, see `verifyResponse` */
function chooseMatch(matches: readonly Candidate[], stored = 0n): Candidate | undefined {
  const ascending = inOrder(matches);
  const ahead = ascending.find(({ counter }) => counter === undefined || counter >= stored);
  const highest = ascending.at(-1)?.counter;
  return ahead ?? ascending.find(({ counter }) => counter === highest);
}

/** @returns candidates in ascending order of counters and steps */
function inOrder(candidates: readonly Candidate[]): Candidate[] {
  return candidates.toSorted(
    (one, other) =>
      sign((one.counter ?? 0n) - (other.counter ?? 0n)) ||
      sign((one.timeStep ?? 0n) - (other.timeStep ?? 0n)),
  );
}

function sign(difference: bigint): number {
  return difference < 0n ? -1 : Number(difference > 0n);
}

/** The last known position of a device, and the size of the window around it. */
export interface WindowReach {
  readonly suite: ResponseAlgorithm;
  /**
   * The token's stored counter: the lowest unused one. For a suite with T and without C it is the earliest second since
   * 1970 that may still be used. Default 0.
   */
  readonly counter?: bigint | undefined;
  /** Number of counters to try from the stored one on; at least that one is tried. Default 10. */
  readonly counterWindow?: number | undefined;
  /** Includes counters behind the stored one: for a transaction that was never answered. Default false. */
  readonly lookBehind?: boolean | undefined;
  readonly now: Date;
  /** Maximum deviation of the token's clock, in seconds to either side. Default 180. */
  readonly timeWindow?: number | undefined;
  /** Maximum advance of the token's clock, in seconds, where that is not `timeWindow`. */
  readonly timeAhead?: number | undefined;
  /** Known deviation of the token's clock, in seconds: more than 0 where it is fast. Default 0. */
  readonly timeShift?: number | undefined;
}

/** A possible position of a response. */
export interface Candidate {
  /** The counter, for a suite with C. */
  readonly counter?: bigint;
  /** The number of the time step since 1970, for a suite with T. */
  readonly timeStep?: bigint;
  /** The first second since 1970 that lies in both the step and the window, for a suite with T. */
  readonly second?: bigint;
}

/**
 * Combinations of counters and steps. Both lists begin with the likeliest; neither is empty unless there is no
 * candidate.
 */
interface ResponseWindow {
  readonly suite: Pick<ResponseAlgorithm, 'counter' | 'timeStep'>;
  /** 0 alone for a suite without C. */
  readonly counters: readonly bigint[];
  /** Numbers of time steps since 1970; 0 alone for a suite without T. */
  readonly steps: readonly bigint[];
  /** The first second of the window, for a suite with T. */
  readonly from: bigint;
}

/**
 * The candidates for a response (RFC 6287 §5.1, RFC 4226 §7.2).
 *
 * - C: from the stored counter to counter + window - 1, with `lookBehind` also half a window (rounded down) before it.
 * - T: every step that the interval from now - timeWindow up to and without now + timeWindow touches, `timeShift`
 *   considered; the present step always. Without `lookBehind` and without C, nothing before the stored second.
 * - C and T: both. Where that would be more than `max` candidates, the time window is narrowed around the present.
 *
 * @param max candidates, at least 1
 */
function responseWindow(reach: WindowReach, max: number): ResponseWindow {
  const { suite } = reach;
  const counters = suite.counter ? counterWindow(reach, BigInt(max)) : [0n];
  return suite.timeStep === undefined
    ? { suite, counters, steps: [0n], from: 0n }
    : {
        suite,
        counters,
        ...timeWindow(reach, BigInt(suite.timeStep), larger(BigInt(max) / BigInt(counters.length), 1n)),
      };
}

function sizeOf({ counters, steps }: ResponseWindow): number {
  return counters.length * steps.length;
}

function candidateAt({ suite, from }: ResponseWindow, counter: bigint, timeStep: bigint): Candidate {
  const { timeStep: size } = suite;
  return {
    ...(suite.counter && { counter }),
    ...(size !== undefined && { timeStep, second: larger(timeStep * BigInt(size), from) }),
  };
}

function counterWindow(
  { counter: stored = 0n, counterWindow: requested = 10, lookBehind = false }: WindowReach,
  candidates: bigint,
): bigint[] {
  const max = lookBehind ? larger(candidates / 2n, 1n) : candidates;
  const size = smaller(larger(BigInt(Math.trunc(requested)), 1n), max);
  const first = lookBehind ? larger(stored - size / 2n, 0n) : stored;
  const numbers: bigint[] = [];
  for (let counter = stored; counter < stored + size && counter <= MAX_COUNTER; counter += 1n) {
    numbers.push(counter);
  }
  for (let counter = stored - 1n; counter >= first; counter -= 1n) {
    numbers.push(counter);
  }
  return numbers;
}

/**
 * @param size of a step, in seconds
 * @param max maximum number of steps
 */
function timeWindow(reach: WindowReach, size: bigint, max: bigint): Pick<ResponseWindow, 'steps' | 'from'> {
  const behind = BigInt(Math.trunc(reach.timeWindow ?? 180));
  const ahead = BigInt(Math.trunc(reach.timeAhead ?? reach.timeWindow ?? 180));
  const present = BigInt(reach.now.getTime()) / 1_000n + BigInt(Math.trunc(reach.timeShift ?? 0));
  const from = larger(present - behind, earliestSecond(reach));
  const last = larger(present + ahead - 1n, present);
  if (last < from) {
    return { steps: [], from };
  }
  const nearest = larger(from / size, present / size - max / 2n);
  return { steps: outward(nearest, smaller(last / size, nearest + max - 1n), present / size), from };
}

function earliestSecond({ suite, counter = 0n, lookBehind = false }: WindowReach): bigint {
  return suite.counter || lookBehind ? 0n : counter;
}

/** @returns the numbers from first to last in the order of their distance from the middle */
function outward(first: bigint, last: bigint, middle: bigint): bigint[] {
  const numbers: bigint[] = [];
  let ahead = larger(middle, first);
  let behind = smaller(middle - 1n, last);
  for (; ahead <= last || behind >= first; ahead += 1n, behind -= 1n) {
    if (ahead <= last) {
      numbers.push(ahead);
    }
    if (behind >= first) {
      numbers.push(behind);
    }
  }
  return numbers;
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

export interface SearchMeans {
  /** Waits until the next piece may be computed. */
  readonly turn: () => Promise<void>;
  /** Prepares the computation of responses; `responseValues` by default. */
  readonly responder?: Responder | undefined;
}

/** Maximum number of candidates for one response, over all checks and challenges. */
export const MAX_FOR_RESPONSE = 12_000;
/** Maximum number of candidates in one check. The rest is kept for a repeated check, after a change of the token. */
export const MAX_FOR_CHECK = 10_500;
/** Number of candidates computed at once: about a millisecond. */
const CANDIDATES_PER_TURN = 250;
/** Cost of the preparation of a question, in candidates. */
const PREPARATION = 10;

/** A window whose candidates are computed already. */
interface Searched {
  /** As the data input of HOTP and TOTP does not name it. */
  readonly suite: string;
  readonly key: Uint8Array;
  /** With counter and time step 0. */
  readonly dataInput: Uint8Array;
  readonly window: ResponseWindow;
  readonly matches: readonly Candidate[];
}

/**
 * Searches for one response: with a budget, a piece at a time, and no candidate twice. The amount of computation
 * depends on tokens and their challenges alone, not on the response: the search does not stop after a match.
 */
export class ResponseSearch {
  /** The time of the first check. Time windows stay relative to it. */
  readonly now: Date;
  readonly #means: SearchMeans;
  readonly #searched: Searched[] = [];
  #questions = 0;
  #leftInPass = 0;
  #left = MAX_FOR_RESPONSE;
  /** Undefined: nothing was searched beyond the windows so far. */
  #leftBeyond: number | undefined;
  #questionsBeyond = 1;
  #piece = 0;

  constructor(now: Date, means: SearchMeans) {
    this.now = now;
    this.#means = means;
  }

  /**
   * Begins a check, the first one or a repeated one.
   * @param questions number of questions; they get equal shares, and the unused part of one goes to the next ones
   */
  begin(questions: number): void {
    this.#questions = questions;
    this.#leftInPass = MAX_FOR_CHECK;
  }

  /** @param questions number of those that are searched beyond their windows, in equal shares; one by default */
  shareBeyond(questions: number): void {
    this.#questionsBeyond = questions;
  }

  /** @returns the maximum number of candidates for the next question in this check */
  share(): number {
    const share = Math.floor(this.#leftInPass / Math.max(this.#questions, 1));
    this.#questions -= 1;
    return share;
  }

  /**
   * Searches for the response in the window of a check, limited to `max` candidates.
   * @returns the chosen match, and the number of candidates in the window
   * @throws ServiceError 'data-input.invalid' where question, PIN, session or key is missing or wrong
   */
  async find(check: ResponseCheck, max: number): Promise<{ found: Candidate | undefined; computed: number }> {
    const { matches, computed } = await this.all(check, max);
    return { found: chooseMatch(matches, check.counter), computed };
  }

  /**
   * Searches as `find` does.
   * @returns all matches, in ascending order
   */
  async all(check: ResponseCheck, max: number): Promise<{ matches: readonly Candidate[]; computed: number }> {
    const dataInput = dataInputTemplate(check.suite, check);
    const allowed = Math.min(max, this.#leftInPass);
    if (allowed < 1) {
      return { matches: [], computed: 0 };
    }
    const window = responseWindow(check, allowed);
    const computed = sizeOf(window);
    this.#leftInPass -= computed;
    // A copy: the test writes into the data input.
    const input = { suite: check.suite.text, key: check.key, dataInput: dataInput.bytes.slice() };
    const isRight = positionTest(check, dataInput, this.#means.responder ?? responseValues);
    return { matches: inOrder(await this.#search(window, input, isRight)), computed };
  }

  /**
   * Searches with what the check has left of the budget, but for what a repeated one may need: all of it for one question,
   * or its share for each of several (`shareBeyond`).
   * @param wider the check in a wider window
   * @returns true if the response is right outside the window of the check
   */
  async isBeyond(check: ResponseCheck, wider: ResponseCheck): Promise<boolean> {
    this.#leftBeyond ??= Math.max(0, this.#left - MAX_FOR_RESPONSE + MAX_FOR_CHECK);
    const share = Math.floor(this.#leftBeyond / this.#questionsBeyond);
    this.#leftInPass = share;
    const { matches } = await this.all(wider, share);
    const near = boundsOf({ window: responseWindow(check, MAX_FOR_CHECK), matches });
    return matches.some(({ counter = 0n, timeStep = 0n }) => !containing(counter, timeStep)(near));
  }

  async #search(
    window: ResponseWindow,
    input: Pick<Searched, 'suite' | 'key' | 'dataInput'>,
    isRight: (counter: bigint, timeStep: bigint) => boolean,
  ): Promise<readonly Candidate[]> {
    const before = this.#searched.filter((searched) => isSameInput(searched, input)).map(boundsOf);
    const matches: Candidate[] = [];
    let isWhole = true;
    this.#piece += PREPARATION;
    for (const counter of window.counters) {
      for (const step of window.steps) {
        const known = before.find(containing(counter, step));
        if (known !== undefined) {
          if (known.matches.some(isAt(counter, step))) {
            matches.push(candidateAt(window, counter, step));
          }
          continue;
        }
        if (this.#left === 0) {
          // Happens only if the token or its challenges changed between two checks. Matches of an earlier check remain
          // valid.
          isWhole = false;
          continue;
        }
        if (this.#piece >= CANDIDATES_PER_TURN) {
          this.#piece = 0;
          await this.#means.turn();
        }
        this.#left -= 1;
        this.#piece += 1;
        if (isRight(counter, step)) {
          matches.push(candidateAt(window, counter, step));
        }
      }
    }
    if (isWhole) {
      this.#searched.push({ ...input, window, matches });
    }
    return matches;
  }
}

function isSameInput(one: Pick<Searched, 'suite' | 'key' | 'dataInput'>, other: typeof one): boolean {
  return (
    one.suite === other.suite && areEqual(one.key, other.key) && areEqual(one.dataInput, other.dataInput)
  );
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, place) => byte === other[place]);
}

/** The least and the greatest position of a window, and its matches. */
interface Bounds extends Pick<Searched, 'matches'> {
  readonly counters: PositionRange;
  readonly steps: PositionRange;
}

interface PositionRange {
  readonly min: bigint;
  readonly max: bigint;
}

function boundsOf({ window, matches }: Pick<Searched, 'window' | 'matches'>): Bounds {
  return {
    counters: rangeOf(window.counters),
    steps: rangeOf(window.steps),
    matches,
  };
}

/** @param numbers without a gap, in any order. Without numbers, the range contains none */
function rangeOf(numbers: readonly bigint[]): PositionRange {
  const [first = 0n] = numbers;
  return numbers.reduce(
    ({ min, max }, number) => ({
      min: number < min ? number : min,
      max: number > max ? number : max,
    }),
    { min: first, max: numbers.length === 0 ? first - 1n : first },
  );
}

function containing(counter: bigint, timeStep: bigint): (bounds: Bounds) => boolean {
  return ({ counters, steps }) =>
    counter >= counters.min && counter <= counters.max && timeStep >= steps.min && timeStep <= steps.max;
}

function isAt(counter: bigint, timeStep: bigint): (candidate: Candidate) => boolean {
  return (one) => (one.counter ?? 0n) === counter && (one.timeStep ?? 0n) === timeStep;
}
