import { bytesToHex } from '@noble/hashes/utils.js';
import { responder } from './compute.ts';
import { dataInputTemplate } from './data-input.ts';
import { hmac } from './hashes.ts';
import { type Candidate, responseWindow, type ResponseWindow, sizeOf } from './response-window.ts';
import {
  candidateTest,
  chooseMatch,
  inOrder,
  type Responder,
  type ResponseCheck,
  type Verification,
} from './verify.ts';

/** What searches of a process have in common. */
export interface SearchMeans {
  /** Waits until the next piece may be computed; before others where it is urgent. */
  readonly turn: (isUrgent: boolean) => Promise<void>;
  /** Prepares the computation of responses; `responder` by default. */
  readonly responder?: Responder | undefined;
}

/** So many candidates are computed for one response, whatever it is tried on and however often it is looked at, … */
export const MAX_FOR_RESPONSE = 12_000;
/** … and so many in one look. What is left is for what the token has moved on to when it is looked at again. */
export const MAX_FOR_CHECK = 10_500;
/** So many are computed at once: a millisecond or so. */
const PIECE = 250;
/** What it takes to begin with a question, in candidates. */
const PREPARATION = 10;

/** Candidates that were computed already. */
interface Searched {
  /** Tells key, suite, question and PIN. */
  readonly input: string;
  readonly first: Required<Pick<Candidate, 'counter' | 'timeStep'>>;
  readonly last: Required<Pick<Candidate, 'counter' | 'timeStep'>>;
  readonly matches: readonly Candidate[];
}

/**
 * Searches for one response: with a budget, a piece at a time, and no candidate twice. How much is computed depends on
 * tokens and their challenges alone, not on the response: nothing is left out after a match.
 */
export class ResponseSearch {
  /** When the response was looked at first. Windows of time stay where they were then. */
  readonly now: Date;
  readonly #means: SearchMeans;
  readonly #searched: Searched[] = [];
  #looks = 0;
  #questions = 0;
  #look = 0;
  #left = MAX_FOR_RESPONSE;
  #piece = 0;

  constructor(now: Date, means: SearchMeans) {
    this.now = now;
    this.#means = means;
  }

  /**
   * Begins a look, the first one or another.
   * @param questions to which the response will be tried; they get equal shares, and what one leaves, the next ones get
   */
  begin(questions: number): void {
    this.#looks += 1;
    this.#questions = questions;
    this.#look = MAX_FOR_CHECK;
  }

  /** @returns how many candidates the next question may take in this look */
  share(): number {
    const share = Math.floor(this.#look / Math.max(this.#questions, 1));
    this.#questions -= 1;
    return share;
  }

  /**
   * Looks for the response in the window of a check, as far as `most` candidates reach.
   * @returns what counts of what was found, and how many candidates the window has
   * @throws ServiceError 'data-input.invalid' where question, PIN, session or key is missing or wrong
   */
  async find(check: ResponseCheck, most: number): Promise<{ found: Verification; taken: number }> {
    const { matches, taken } = await this.all(check, most);
    return { found: chooseMatch(matches, check.counter), taken };
  }

  /** As `find`. @returns all matches, in ascending order */
  async all(check: ResponseCheck, most: number): Promise<{ matches: readonly Candidate[]; taken: number }> {
    const dataInput = dataInputTemplate(check.suite, check);
    const allowed = Math.min(most, this.#look);
    if (allowed < 1) {
      return { matches: [], taken: 0 };
    }
    const window = responseWindow(check, allowed);
    const taken = sizeOf(window);
    this.#look -= taken;
    const isRight = candidateTest(check, dataInput, this.#means.responder ?? responder);
    const input = inputOf(check, dataInput.bytes);
    return { matches: inOrder(await this.#search(window, input, isRight)), taken };
  }

  async #search(
    window: ResponseWindow,
    input: string,
    isRight: (candidate: Candidate) => boolean,
  ): Promise<readonly Candidate[]> {
    const before = this.#searched.filter((searched) => searched.input === input);
    const matches: Candidate[] = [];
    let isWhole = true;
    this.#piece += PREPARATION;
    for (const candidate of candidatesOf(window)) {
      const known = before.find((searched) => isWithin(candidate, searched));
      if (known !== undefined) {
        matches.push(...known.matches.filter((one) => isSame(one, candidate)).map(() => candidate));
        continue;
      }
      if (this.#left === 0) {
        // Only where the token or its challenges changed between two looks. What an earlier look has found still counts.
        isWhole = false;
        continue;
      }
      if (this.#piece >= PIECE) {
        this.#piece = 0;
        // From the second look on, the token's lock is held.
        await this.#means.turn(this.#looks > 1);
      }
      this.#left -= 1;
      this.#piece += 1;
      if (isRight(candidate)) {
        matches.push(candidate);
      }
    }
    if (isWhole) {
      this.#note(window, input, matches);
    }
    return matches;
  }

  #note({ counters, steps }: ResponseWindow, input: string, matches: readonly Candidate[]): void {
    const [counter, timeStep] = [
      boundsOf(counters.map((each) => each.counter ?? 0n)),
      boundsOf(steps.map((each) => each.timeStep ?? 0n)),
    ];
    if (counter !== undefined && timeStep !== undefined) {
      this.#searched.push({
        ...{ input, matches },
        first: { counter: counter.least, timeStep: timeStep.least },
        last: { counter: counter.most, timeStep: timeStep.most },
      });
    }
  }
}

/** In the order in which they are likeliest. */
function* candidatesOf({ counters, steps }: ResponseWindow): Generator<Candidate> {
  for (const counter of counters) {
    for (const step of steps) {
      yield { ...counter, ...step };
    }
  }
}

function inputOf({ key }: ResponseCheck, dataInput: Uint8Array): string {
  return bytesToHex(hmac('sha256', key, dataInput));
}

function isWithin({ counter = 0n, timeStep = 0n }: Candidate, { first, last }: Searched): boolean {
  return (
    counter >= first.counter &&
    counter <= last.counter &&
    timeStep >= first.timeStep &&
    timeStep <= last.timeStep
  );
}

function isSame(one: Candidate, other: Candidate): boolean {
  return one.counter === other.counter && one.timeStep === other.timeStep;
}

/** @param numbers without a gap, in any order */
function boundsOf(numbers: readonly bigint[]): { least: bigint; most: bigint } | undefined {
  const [first] = numbers;
  if (first === undefined) {
    return undefined;
  }
  return numbers.reduce(
    ({ least, most }, number) => ({
      least: number < least ? number : least,
      most: number > most ? number : most,
    }),
    { least: first, most: first },
  );
}
