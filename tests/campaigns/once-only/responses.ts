import type { GivenResponse, Position } from './operations.ts';
import type { Token } from './state.ts';

/** Seconds by which a device's clock may be off. */
const TIME_WINDOW = 180;
export const STEP = 60;
const DAY = 86_400;

export const hasCounter = (suite: string): boolean => suite.includes(':C-');
export const hasTime = (suite: string): boolean => suite.endsWith('-T1M');

/** @returns the first second of that second's time step */
export const stepOf = (second: number): number => Math.floor(second / STEP) * STEP;

/** The position of a right response, and the marks that it uses. */
export interface Usable {
  readonly position: Position;
  readonly marks: readonly string[];
  /** The first second of the window in which it was found. */
  readonly from: number;
  /** The new offset of the device's clock, in seconds ahead. */
  readonly shift?: number;
}

/** What a response is for a token: to be used, to be remembered, or nothing. */
export type Verdict = { readonly usable: Usable } | { readonly ahead: Token['ahead'] } | null;

/**
 * @returns one text for all questions with the same response: numbers are encoded as hexadecimal and padded with zeros
 *   at the end (RFC 6287), so that n and 16n have the same bytes
 */
export function plainQuestion(suite: string, question: string): string {
  return suite.includes('QN') && /^\d+$/.test(question)
    ? BigInt(question).toString(16).replace(/0+$/, '')
    : question;
}

/** @returns true if the token gives that response to the question at that position */
function isResponse(token: Token, question: string, position: Position, response: GivenResponse): boolean {
  const key = token.rollout === 'phase1' ? token.secret : token.key;
  return (
    typeof response === 'object' &&
    response.key === key &&
    response.suite === token.suite &&
    response.at === position &&
    plainQuestion(token.suite, response.question) === plainQuestion(token.suite, question)
  );
}

/** The mark of an accepted response. Empty without positions: the same question must then be answerable again. */
function markAt(token: Token, position: Position, question: string): string {
  return position === null ? '' : `${position} ${plainQuestion(token.suite, question)}`;
}

/** @returns true if none of the responses was used before */
function isUsable(token: Token, { position, marks }: Usable): boolean {
  const isForgotten = position !== null && position < token.bottom;
  return !isForgotten && !marks.some((mark) => mark !== '' && token.used.includes(mark));
}

/** Moves the token past a response. */
export function use(token: Token, { position, marks, from, shift = token.shift }: Usable): void {
  token.used = [...new Set([...token.used, ...marks])].filter((mark) => mark !== '').sort();
  token.counter = counterAfter(token, position, from);
  if (position !== null) {
    const reach = hasTime(token.suite) ? 2 * (TIME_WINDOW + STEP) : Math.floor(token.window / 2);
    token.bottom = Math.max(token.bottom, token.counter - reach);
  }
  Object.assign(token, { ahead: null, shift });
}

function counterAfter({ suite, counter }: Token, position: Position, from: number): number {
  if (position === null) {
    return counter + 1;
  }
  const used = hasTime(suite) ? Math.max(position, Math.floor(from)) : position;
  return Math.max(counter, used + 1);
}

/** @returns the positions that are tried for an open challenge, in the order of preference */
function windowOf({ suite, counter, window }: Token, present: number): Position[] {
  if (hasCounter(suite)) {
    const half = Math.floor(window / 2);
    const behind = upFrom(counter - half, half).reverse();
    return [...upFrom(counter, window), ...behind.filter((position) => position >= 0)];
  }
  if (!hasTime(suite)) {
    return [null];
  }
  const first = stepOf(present - TIME_WINDOW);
  const steps = (stepOf(present + TIME_WINDOW - 1) - first) / STEP + 1;
  return upFrom(0, steps).map((step) => first + step * STEP);
}

/** @returns what the response is in the windows of an open challenge, and with AutoResync beyond them */
export function look(
  token: Token,
  question: string,
  response: GivenResponse,
  { now, autoResync }: { readonly now: number; readonly autoResync: boolean },
): Verdict {
  const present = now + token.shift;
  const answers = (position: Position): boolean => isResponse(token, question, position, response);
  const found = windowOf(token, present).find(answers);
  if (found !== undefined) {
    const marks = [markAt(token, found, question)];
    return checked(token, { position: found, marks, from: present - TIME_WINDOW });
  }
  const isFollowed = autoResync && (hasCounter(token.suite) || hasTime(token.suite));
  return isFollowed ? lookBeyond(token, question, present, answers) : null;
}

function lookBeyond(
  token: Token,
  question: string,
  present: number,
  answers: (position: Position) => boolean,
): Verdict {
  const from = Math.max(token.counter, present - TIME_WINDOW - Math.max(0, token.shift));
  const places = hasTime(token.suite) ? stepsBeyond(token, from, present) : countersBeyond(token);
  const beyond = places.filter(answers);
  const second = beyond.find((position) => isSecond(token, position, question));
  if (second !== undefined) {
    const marks = [token.ahead?.mark ?? '', markAt(token, second, question)];
    const shift = hasTime(token.suite) ? token.shift + second - stepOf(present) : token.shift;
    return checked(token, { position: second, marks, from, shift });
  }
  const first = beyond.find((position) => hasTime(token.suite) || position >= token.counter + token.window);
  return first === undefined ? null : { ahead: { position: first, mark: markAt(token, first, question) } };
}

function checked(token: Token, usable: Usable): Verdict {
  return isUsable(token, usable) ? { usable } : null;
}

/** @returns the counters beyond the window, and the one after the first half of a resynchronisation */
function countersBeyond({ counter, window, syncWindow, ahead }: Token): number[] {
  const next = ahead !== null && ahead.position >= counter ? [ahead.position + 1] : [];
  return [...next, ...upFrom(counter + window, syncWindow - window)];
}

function stepsBeyond({ shift, syncWindow }: Token, from: number, present: number): number[] {
  const last = Math.max(present, present + Math.min(syncWindow * STEP, DAY - shift) - 1);
  return last < from
    ? []
    : upFrom(0, (stepOf(last) - stepOf(from)) / STEP + 1).map((step) => stepOf(from) + step * STEP);
}

/** Accepts both halves in one step of a clock, but not the same response twice. */
function isSecond(token: Token, position: number, question: string): boolean {
  const { ahead } = token;
  if (ahead === null) {
    return false;
  }
  const since = position - ahead.position;
  return hasTime(token.suite)
    ? since >= 0 && since <= 300 && markAt(token, position, question) !== ahead.mark
    : ahead.position >= token.counter && since === 1;
}

/** @returns true if the token gave these two consecutively, and they were not used before; it then moves past them */
export function resynchronise(token: Token, responses: readonly [GivenResponse, GivenResponse]): boolean {
  const questions = responses.map((response) => (typeof response === 'object' ? response.question : ''));
  return upFrom(token.counter, token.syncWindow).some((first) => {
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

function upFrom(first: number, count: number): number[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => first + index);
}
