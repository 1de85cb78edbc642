import { type ModelAct, type ModelAnswer, REFUSED, SYNC_WINDOW } from './challenge-model-acts.ts';
import {
  counterAfter,
  hasCounter,
  hasTime,
  type Position,
  reachOf,
  responseAt,
  STEP,
  stepOf,
  TIME_WINDOW,
  upFrom,
  windowOf,
} from './challenge-model-responses.ts';
import type { ModelToken } from './challenge-model-state.ts';

const DAY = 86_400;

/** @returns true if the token gives that response to the question at that position */
function isResponse(token: ModelToken, question: string, position: Position, response: string): boolean {
  const key = token.rollout === 'phase1' ? token.sharedSecret : token.key;
  return key !== null && responseAt({ suite: token.suite, key }, question, position) === response;
}

/**
 * The mark of an accepted response: the response itself, for every text of the question. Empty for suites without
 * positions: the same question must then be answerable again.
 */
function markAt({ suite, key }: ModelToken, position: Position, question: string): string {
  return position === null ? '' : `${position} ${responseAt({ suite, key: key ?? '' }, question, position)}`;
}

/** The position of a right response, and the marks that it uses. */
export interface Usable {
  readonly position: Position;
  readonly marks: readonly string[];
  /** The first second of the window in which it was found. */
  readonly from: number;
  /** The new offset of the device's clock, in seconds ahead. */
  readonly shift?: number;
}

/** The result for a response: to be used, to be remembered, or none. */
export type ModelVerdict = { readonly usable: Usable } | { readonly ahead: ModelToken['ahead'] } | null;

/** @returns true if none of the responses was used before */
function isUsable(token: ModelToken, { position, marks }: Usable): boolean {
  const isForgotten = position !== null && position < token.bottom;
  return !isForgotten && !marks.some((mark) => mark !== '' && token.replayMarkers.has(mark));
}

export function use(token: ModelToken, { position, marks, from, shift = token.shift }: Usable): void {
  marks.forEach((mark) => token.replayMarkers.add(mark));
  token.counter = counterAfter(token.suite, token.counter, position, from);
  if (position !== null) {
    token.bottom = Math.max(token.bottom, token.counter - reachOf(token.suite, token.window));
  }
  Object.assign(token, { ahead: null, shift });
}

/** @returns the result for the response in the windows of an open challenge, and with AutoResync beyond them */
export function look(
  token: ModelToken,
  question: string,
  response: string,
  { now, autoResync }: { readonly now: number; readonly autoResync: boolean },
): ModelVerdict {
  const present = now + token.shift;
  const answers = (position: Position): boolean => isResponse(token, question, position, response);
  const found = windowOf(token.suite, token.counter, token.window, present).find(answers);
  if (found !== undefined) {
    const marks = [markAt(token, found, question)];
    return used(token, { position: found, marks, from: present - TIME_WINDOW });
  }
  const isFollowed = autoResync && (hasCounter(token.suite) || hasTime(token.suite));
  return isFollowed ? lookBeyond(token, question, present, answers) : null;
}

function lookBeyond(
  token: ModelToken,
  question: string,
  present: number,
  answers: (position: Position) => boolean,
): ModelVerdict {
  const from = Math.max(token.counter, present - TIME_WINDOW - Math.max(0, token.shift));
  const places = hasTime(token.suite) ? stepsBeyond(from, present, token.shift) : countersBeyond(token);
  const beyond = places.filter(answers);
  const second = beyond.find((position) => isSecond(token, position, question));
  if (second !== undefined) {
    const marks = [token.ahead?.mark ?? '', markAt(token, second, question)];
    const shift = hasTime(token.suite) ? token.shift + second - stepOf(present) : token.shift;
    return used(token, { position: second, marks, from, shift });
  }
  const first = beyond.find((position) => hasTime(token.suite) || position >= token.counter + token.window);
  return first === undefined ? null : { ahead: { position: first, mark: markAt(token, first, question) } };
}

function used(token: ModelToken, usable: Usable): ModelVerdict {
  return isUsable(token, usable) ? { usable } : null;
}

/** @returns the counters beyond the window, and the one after the first half of a resynchronisation */
function countersBeyond({ counter, window, ahead }: ModelToken): number[] {
  const next = ahead !== null && ahead.position >= counter ? [ahead.position + 1] : [];
  return [...next, ...upFrom(counter + window, SYNC_WINDOW - window)];
}

function stepsBeyond(from: number, present: number, shift: number): number[] {
  const last = Math.max(present, present + Math.min(SYNC_WINDOW * STEP, DAY - shift) - 1);
  return last < from
    ? []
    : upFrom(0, (stepOf(last) - stepOf(from)) / STEP + 1).map((step) => stepOf(from) + step * STEP);
}

/** Accepts both halves in one step of a clock, but not the same response twice. */
function isSecond(token: ModelToken, position: number, question: string): boolean {
  const { ahead } = token;
  if (ahead === null) {
    return false;
  }
  const since = position - ahead.position;
  return hasTime(token.suite)
    ? since >= 0 && since <= 300 && markAt(token, position, question) !== ahead.mark
    : ahead.position >= token.counter && since === 1;
}

/** @returns true if the token gave these two consecutively, and they were not used before */
export function resynchronise(
  token: ModelToken,
  { questions, responses }: Extract<ModelAct, { act: 'resync' }>,
): ModelAnswer {
  if (token.rollout === 'phase1' || !hasCounter(token.suite)) {
    return REFUSED;
  }
  return upFrom(token.counter, SYNC_WINDOW).some((first) => {
    const isHere = responses.every((response, index) =>
      isResponse(token, questions[index] ?? '', first + index, response),
    );
    const marks = questions.map((question, index) => markAt(token, first + index, question));
    const usable = { position: first + 1, marks, from: 0 };
    if (!isHere || !isUsable(token, usable)) {
      return false;
    }
    use(token, usable);
    return true;
  });
}
