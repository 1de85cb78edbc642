import type { Token, TokenStateChange } from '../tokens/token.ts';
import { ServiceError } from '../kernel/errors.ts';
import { advanceTo, clockShiftAt, markerOfMatch } from './accepted-position.ts';
import type { OcraSettings } from './ocra-settings.ts';
import { plainQuestion } from '../ocra/question.ts';
import type { OcraSuite } from '../ocra/suite.ts';
import { type Match, type ResponseCheck, type Verification, verifyResponse } from '../ocra/verify.ts';

/** A token and the questions of its latest challenges. */
export interface QuestionedToken {
  readonly token: Token;
  /** Newest first, two at most. */
  readonly questions: readonly string[];
}

/** A question and the token's response. */
interface AnsweredQuestion {
  readonly question: string;
  readonly response: string;
}

/** Two responses of a token, in the order in which it gave them. */
export interface ConsecutiveResponses {
  readonly first: AnsweredQuestion;
  readonly second: AnsweredQuestion;
}

/** The inputs of a check besides question and response. */
type Inputs = Omit<ResponseCheck, 'question' | 'response'>;

/** Maximum shift of a clock, in seconds to either side. */
export const MAX_CLOCK_SHIFT = 86_400;
/** Maximum time between the first and the second response of a time suite, in seconds. */
const BETWEEN_RESPONSES = 300;

/**
 * Searches for two consecutive responses from the stored counter on (RFC 4226 §7.4), never before it: a counter does
 * not go back, and the clock of a time suite is not followed to before its last use. Both responses are used up.
 *
 * - C: consecutive counters within the sync window.
 * - T without C: the same time step or later ones within five minutes, in as many steps to either side as the sync
 *   window has, a day at most. The token's clock shift follows.
 * @param inputs as for a check of a response
 * @returns the change of the token, null where the two are not found or were used before
 * @throws ServiceError 'token.state' for a suite that has neither counter nor clock, 'data-input.invalid'
 */
export function resynchronise(
  inputs: Inputs,
  settings: Pick<OcraSettings, 'timeWindow'>,
  token: Token,
  { first, second }: ConsecutiveResponses,
): TokenStateChange | null {
  assertMovable(inputs, token);
  let found = findFirst(inputs, token, first, token.counter);
  const [one, other] = [first, second].map(({ question }) => plainQuestion(inputs.suite, question));
  while (found.matched) {
    const next = findNext(inputs, token, found, one === other, second);
    const change = next.matched ? changeFor(inputs, settings, token, { first, second }, found, next) : null;
    if (change !== null) {
      return change;
    }
    found = findFirst(inputs, token, first, after(inputs, found));
  }
  return null;
}

function assertMovable({ suite }: Inputs, { serial }: Token): void {
  if (!suite.counter && suite.timeStep === undefined) {
    throw new ServiceError(
      'token.state',
      `The token '${serial}' has neither counter nor clock: there is nothing to synchronise`,
    );
  }
}

function findFirst(inputs: Inputs, token: Token, first: AnsweredQuestion, from: bigint): Verification {
  if (!inputs.suite.counter) {
    return search(inputs, token, first, from, 1);
  }
  const left = token.counter + BigInt(token.syncWindow) - from;
  return left > 0n ? search(inputs, token, first, from, Number(left)) : { matched: false };
}

function findNext(
  inputs: Inputs,
  token: Token,
  found: Match,
  sameQuestion: boolean,
  second: AnsweredQuestion,
): Verification {
  if (found.counter !== undefined) {
    return search(inputs, token, second, found.counter + 1n, 1);
  }
  const size = BigInt(inputs.suite.timeStep ?? 1);
  const step = found.timeStep ?? 0n;
  // The same question at the same time has the same response, which would be one response sent twice.
  const next = search(inputs, token, second, sameQuestion ? (step + 1n) * size : step * size, 1);
  return next.matched && !isSoonAfter(inputs.suite, step, next.timeStep ?? 0n) ? { matched: false } : next;
}

/** @returns true if a time step is the first one or a later one within the time allowed between two responses */
export function isSoonAfter({ timeStep: size = 1 }: OcraSuite, first: bigint, step: bigint): boolean {
  const reach = BigInt(Math.max(1, Math.floor(BETWEEN_RESPONSES / size)));
  return step >= first && step <= first + reach;
}

function search(
  inputs: Inputs,
  { syncWindow }: Token,
  answered: AnsweredQuestion,
  counter: bigint,
  counterWindow: number,
): Verification {
  const { suite } = inputs;
  const clock = suite.counter
    ? inputs.timeWindow
    : Math.min(syncWindow * (suite.timeStep ?? 1), MAX_CLOCK_SHIFT);
  return verifyResponse({
    ...inputs,
    ...answered,
    counter,
    counterWindow,
    timeWindow: clock,
    lookBehind: false,
  });
}

/** @returns the position at which the search for the first response continues */
function after({ suite }: Inputs, found: Match): bigint {
  return found.counter === undefined
    ? ((found.timeStep ?? 0n) + 1n) * BigInt(suite.timeStep ?? 1)
    : found.counter + 1n;
}

function changeFor(
  inputs: Inputs,
  settings: Pick<OcraSettings, 'timeWindow'>,
  token: Token,
  { first, second }: ConsecutiveResponses,
  found: Match,
  next: Match,
): TokenStateChange | null {
  const { suite } = inputs;
  const markers = [markerOfMatch(suite, first.question, found), markerOfMatch(suite, second.question, next)];
  const advance = advanceTo(suite, settings, token, next, markers);
  if (advance === null || suite.counter || next.timeStep === undefined) {
    return advance;
  }
  return { ...advance, timeShift: clockShiftAt(inputs, token, next) };
}
