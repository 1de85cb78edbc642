import { type ModelAct, type ModelAnswer, REFUSED, SYNC_WINDOW } from './challenge-model-acts.ts';
import {
  counterAfter,
  hasCounter,
  type Position,
  reachOf,
  responseAt,
  upFrom,
} from './challenge-model-responses.ts';
import type { ModelToken } from './challenge-model-state.ts';

/** @returns whether the token gives that response to the question at that position */
export function isResponse(
  token: ModelToken,
  question: string,
  position: Position,
  response: string,
): boolean {
  const key = token.rollout === 'phase1' ? token.sharedSecret : token.key;
  return key !== null && responseAt({ suite: token.suite, key }, question, position) === response;
}

/**
 * What is not accepted twice: the very response, whatever text the question was given as. Empty where positions play no
 * part: then the same question must be answerable again.
 */
export function markAt({ suite, key }: ModelToken, position: Position, question: string): string {
  return position === null ? '' : `${position} ${responseAt({ suite, key: key ?? '' }, question, position)}`;
}

/** @returns false where one of the responses was used before */
export function use(token: ModelToken, position: Position, marks: readonly string[], now: number): boolean {
  const isForgotten = position !== null && position < token.bottom;
  if (isForgotten || marks.some((mark) => mark !== '' && token.spent.has(mark))) {
    return false;
  }
  marks.forEach((mark) => token.spent.add(mark));
  token.counter = counterAfter(token.suite, token.counter, position, now);
  if (position !== null) {
    token.bottom = Math.max(token.bottom, token.counter - reachOf(token.suite, token.window));
  }
  token.ahead = null;
  return true;
}

/** @returns whether the token gave these two one after the other, and was not known to have */
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
    return isHere && use(token, first + 1, marks, 0);
  });
}
