import { responder } from './compute.ts';
import { dataInputTemplate } from './data-input.ts';
import {
  type Candidate,
  candidateTest,
  chooseMatch,
  inOrder,
  type Responder,
  type ResponseCheck,
  responseWindow,
  type ResponseWindow,
  sizeOf,
} from './verify.ts';

/** Resources that the searches of a process share. */
export interface SearchMeans {
  /** Waits until the next piece may be computed. */
  readonly turn: () => Promise<void>;
  /** Prepares the computation of responses; `responder` by default. */
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
    const input = { key: check.key, dataInput: dataInput.bytes.slice() };
    const isRight = candidateTest(check, dataInput, this.#means.responder ?? responder);
    return { matches: inOrder(await this.#search(window, input, isRight)), computed };
  }

  /**
   * Searches with what the check has left of the budget, but for what a repeated one may need. To be called for one
   * question.
   * @param wider the check in a wider window
   * @returns true if the response is right outside the window of the check
   */
  async isBeyond(check: ResponseCheck, wider: ResponseCheck): Promise<boolean> {
    this.#leftBeyond ??= Math.max(0, this.#left - MAX_FOR_RESPONSE + MAX_FOR_CHECK);
    this.#leftInPass = this.#leftBeyond;
    const { matches } = await this.all(wider, this.#leftBeyond);
    const near = boundsOf({ window: responseWindow(check, MAX_FOR_CHECK), matches });
    return matches.some((match) => !isWithin(match, near));
  }

  async #search(
    window: ResponseWindow,
    input: Pick<Searched, 'key' | 'dataInput'>,
    isRight: (candidate: Candidate) => boolean,
  ): Promise<readonly Candidate[]> {
    const before = this.#searched.filter((searched) => isSameInput(searched, input)).map(boundsOf);
    const matches: Candidate[] = [];
    let isWhole = true;
    this.#piece += PREPARATION;
    for (const candidate of candidatesOf(window)) {
      const known = before.find((bounds) => isWithin(candidate, bounds));
      if (known !== undefined) {
        matches.push(...known.matches.filter((one) => isSame(one, candidate)).map(() => candidate));
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
      if (isRight(candidate)) {
        matches.push(candidate);
      }
    }
    if (isWhole) {
      this.#searched.push({ ...input, window, matches });
    }
    return matches;
  }
}

/** Yields the candidates, the likeliest first. */
function* candidatesOf({ counters, steps }: ResponseWindow): Generator<Candidate> {
  for (const counter of counters) {
    for (const step of steps) {
      yield step.timeStep === undefined ? counter : { ...counter, ...step };
    }
  }
}

function isSameInput(one: Pick<Searched, 'key' | 'dataInput'>, other: typeof one): boolean {
  return areEqual(one.key, other.key) && areEqual(one.dataInput, other.dataInput);
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, place) => byte === other[place]);
}

/** The least and the greatest position of a window, and its matches. */
interface Bounds extends Pick<Searched, 'matches'> {
  readonly counters: CounterRange;
  readonly steps: CounterRange;
}

interface CounterRange {
  readonly min: bigint;
  readonly max: bigint;
}

function boundsOf({ window, matches }: Pick<Searched, 'window' | 'matches'>): Bounds {
  return {
    counters: rangeOf(window.counters.map(({ counter = 0n }) => counter)),
    steps: rangeOf(window.steps.map(({ timeStep = 0n }) => timeStep)),
    matches,
  };
}

/** @param numbers without a gap, in any order. Without numbers, the range contains none */
function rangeOf(numbers: readonly bigint[]): CounterRange {
  const [first = 0n] = numbers;
  return numbers.reduce(
    ({ min, max }, number) => ({
      min: number < min ? number : min,
      max: number > max ? number : max,
    }),
    { min: first, max: numbers.length === 0 ? first - 1n : first },
  );
}

function isWithin({ counter = 0n, timeStep = 0n }: Candidate, { counters, steps }: Bounds): boolean {
  return counter >= counters.min && counter <= counters.max && timeStep >= steps.min && timeStep <= steps.max;
}

function isSame(one: Candidate, other: Candidate): boolean {
  return one.counter === other.counter && one.timeStep === other.timeStep;
}
