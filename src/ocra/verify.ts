import { responder } from './compute.ts';
import { type DataInputTemplate, dataInputTemplate, type FixedInputs } from './data-input.ts';
import { type Candidate, responseWindow, type WindowReach } from './response-window.ts';
import { type OcraSuite, responseLength } from './suite.ts';
import { textComparison } from './text-comparison.ts';

/** A response to check, and the window to search. */
export interface ResponseCheck extends FixedInputs, WindowReach {
  readonly key: Uint8Array;
  /** The user's input. Hexadecimal digits (truncation 0) may be in either letter case. */
  readonly response: string;
}

/**
 * The position of the response: the counter that the token used (the next one to store is this plus one), and the step.
 */
export type Match = Candidate & { readonly matched: true };

/** The result of a search for a response: none of the window matches, or the position that does. */
export type Verification = { readonly matched: false } | Match;

/** Prepares the computation of responses, as `responder` does. */
export type Responder = (suite: OcraSuite, key: Uint8Array) => (dataInput: Uint8Array) => string;

/** Maximum number of responses computed for one check, for windows of any size. */
const MAX_CANDIDATES = 10_000;

/**
 * Searches for a response in the token's windows (`responseWindow`), 10 000 candidates at most.
 *
 * Every candidate is computed and compared in constant time, also after a match, so that the time taken reveals
 * nothing. Of several matches, the lowest counter at or above the stored one is chosen, else the highest below it; of
 * several steps, the earliest.
 * @throws ServiceError 'data-input.invalid' where question, PIN, session or key is missing or wrong
 */
export function verifyResponse(check: ResponseCheck): Verification {
  const isRight = candidateTest(check, dataInputTemplate(check.suite, check), responder);
  const { counters, steps } = responseWindow(check, MAX_CANDIDATES);
  const candidates = counters.flatMap((counter) => steps.map((step) => ({ ...counter, ...step })));
  return chooseMatch(
    candidates.filter((candidate) => isRight(candidate)),
    check.counter,
  );
}

/**
 * @param dataInput of this check; its counter and time step are set
 * @returns a function that is true if a candidate's response is the one to check
 */
export function candidateTest(
  { suite, key, response }: Pick<ResponseCheck, 'suite' | 'key' | 'response'>,
  dataInput: DataInputTemplate,
  prepare: Responder,
): (candidate: Candidate) => boolean {
  const isEqual = textComparison(
    suite.truncation === 0 ? response.toLowerCase() : response,
    responseLength(suite),
  );
  const respond = prepare(suite, key);
  return ({ counter = 0n, timeStep = 0n }) => {
    dataInput.setCounter(counter);
    dataInput.setTimeStep(timeStep);
    return isEqual(respond(dataInput.bytes));
  };
}

/** @returns the chosen one of several matches, see `verifyResponse` */
export function chooseMatch(matches: readonly Candidate[], stored = 0n): Verification {
  const ascending = inOrder(matches);
  const ahead = ascending.find(({ counter }) => counter === undefined || counter >= stored);
  const highest = ascending.at(-1)?.counter;
  const found = ahead ?? ascending.find(({ counter }) => counter === highest);
  return found === undefined ? { matched: false } : { matched: true, ...found };
}

/** @returns candidates in ascending order of counters and steps */
export function inOrder(candidates: readonly Candidate[]): Candidate[] {
  return candidates.toSorted(
    (one, other) =>
      sign((one.counter ?? 0n) - (other.counter ?? 0n)) ||
      sign((one.timeStep ?? 0n) - (other.timeStep ?? 0n)),
  );
}

function sign(difference: bigint): number {
  return difference < 0n ? -1 : Number(difference > 0n);
}
