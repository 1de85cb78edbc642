import type { Token, TokenStateChange } from '../tokens/token.ts';
import { ServiceError } from '../kernel/errors.ts';
import { accept, advanceTo, clockShiftAt, markerOfMatch, positionOf } from './accepted-position.ts';
import type { Verdict } from './challenge.ts';
import type { OcraSettings } from '../configuration/settings.ts';
import { plainQuestion } from '../ocra/question.ts';
import type { ResponseAlgorithm } from '../ocra/suite.ts';
import { type Candidate, type ResponseCheck, type ResponseSearch, verifyResponse } from '../ocra/verify.ts';

interface AnsweredQuestion {
  readonly question: string;
  readonly response: string;
}

/** Two responses of a token, in the order in which it gave them. */
export interface ConsecutiveResponses {
  readonly first: AnsweredQuestion;
  readonly second: AnsweredQuestion;
}

type Inputs = Omit<ResponseCheck, 'question' | 'response'>;

/** Maximum shift of a clock, in seconds to either side. */
const MAX_CLOCK_SHIFT = 86_400;
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
  while (found !== undefined) {
    const next = findNext(inputs, token, found, one === other, second);
    const change =
      next === undefined ? null : changeFor(inputs, settings, token, { first, second }, found, next);
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

function findFirst(
  inputs: Inputs,
  token: Token,
  first: AnsweredQuestion,
  from: bigint,
): Candidate | undefined {
  if (!inputs.suite.counter) {
    return search(inputs, token, first, from, 1);
  }
  const left = token.counter + BigInt(token.syncWindow) - from;
  return left > 0n ? search(inputs, token, first, from, Number(left)) : undefined;
}

function findNext(
  inputs: Inputs,
  token: Token,
  found: Candidate,
  sameQuestion: boolean,
  second: AnsweredQuestion,
): Candidate | undefined {
  if (found.counter !== undefined) {
    return search(inputs, token, second, found.counter + 1n, 1);
  }
  const size = BigInt(inputs.suite.timeStep ?? 1);
  const step = found.timeStep ?? 0n;
  // The same question at the same time has the same response, which would be one response sent twice.
  const next = search(inputs, token, second, sameQuestion ? (step + 1n) * size : step * size, 1);
  return next !== undefined && isSoonAfter(inputs.suite, step, next.timeStep ?? 0n) ? next : undefined;
}

/** @returns true if a time step is the first one or a later one within the time allowed between two responses */
function isSoonAfter({ timeStep: size = 1 }: ResponseAlgorithm, first: bigint, step: bigint): boolean {
  const reach = BigInt(Math.max(1, Math.floor(BETWEEN_RESPONSES / size)));
  return step >= first && step <= first + reach;
}

function search(
  inputs: Inputs,
  token: Token,
  answered: AnsweredQuestion,
  counter: bigint,
  counterWindow: number,
): Candidate | undefined {
  return verifyResponse({ ...withinSyncWindow(inputs, token), ...answered, counter, counterWindow });
}

/** @returns the inputs of a check in the whole sync window: of counters, or of time steps to either side */
export function withinSyncWindow<Check extends Inputs>(inputs: Check, { counter, syncWindow }: Token): Check {
  const { suite } = inputs;
  return {
    ...inputs,
    counter,
    counterWindow: suite.counter ? syncWindow : 1,
    timeWindow: suite.counter
      ? inputs.timeWindow
      : Math.min(syncWindow * (suite.timeStep ?? 1), MAX_CLOCK_SHIFT),
    lookBehind: false,
  };
}

/** @returns the position at which the search for the first response continues */
function after({ suite }: Inputs, found: Candidate): bigint {
  return found.counter === undefined
    ? ((found.timeStep ?? 0n) + 1n) * BigInt(suite.timeStep ?? 1)
    : found.counter + 1n;
}

function changeFor(
  inputs: Inputs,
  settings: Pick<OcraSettings, 'timeWindow'>,
  token: Token,
  { first, second }: ConsecutiveResponses,
  found: Candidate,
  next: Candidate,
): TokenStateChange | null {
  const { suite } = inputs;
  const markers = [markerOfMatch(suite, first.question, found), markerOfMatch(suite, second.question, next)];
  const advance = advanceTo(suite, settings, token, next, markers);
  if (advance === null || suite.counter || next.timeStep === undefined) {
    return advance;
  }
  return { ...advance, timeShift: clockShiftAt(inputs, token, next) };
}

type QuestionCheck = ResponseCheck & { readonly question: string };
type AheadSettings = Pick<OcraSettings, 'timeWindow' | 'autoResyncTimeout'>;

/**
 * Searches for a response ahead of the windows (RFC 4226 §7.4): two consecutive responses prove that the token has
 * moved on. Searches the whole range even after a match, so that the time taken reveals nothing.
 *
 * - C: consecutive counters within the sync window.
 * - T without C: the same time step or a later one within five minutes, up to as many steps ahead of the known clock as
 *   the sync window has, and at most a day ahead of the server's clock. A slow device is not followed, because
 *   responses that an attacker has kept would pass for its own. A clock that had been fast is followed back, at most to
 *   the server's.
 * - Neither: there is nothing to follow.
 * @param check the check within the windows, whether it has found a match or not
 * @param max maximum number of candidates
 * @returns right for the second of them; wrong, but remembered, for what may be the first
 */
export async function findAhead(
  search: ResponseSearch,
  check: QuestionCheck,
  settings: AheadSettings,
  token: Token,
  max: number,
): Promise<Verdict> {
  const remembering = { ...token, syncMarker: rememberedHalf(token, search.now) };
  if (check.suite.counter) {
    return findCounterAhead(search, check, settings, remembering, max);
  }
  return check.suite.timeStep === undefined
    ? { kind: 'wrong' }
    : findClockAhead(search, { ...check, step: check.suite.timeStep }, settings, remembering, max);
}

/** @returns the marker of the first half without its end; null: there is none, or its time is over */
function rememberedHalf({ syncMarker }: Token, now: Date): string | null {
  const [marker = null, end] = syncMarker?.split('@') ?? [];
  return end === undefined || now.getTime() <= Number(end) * 1000 ? marker : null;
}

async function findCounterAhead(
  search: ResponseSearch,
  check: QuestionCheck,
  settings: AheadSettings,
  token: Token,
  max: number,
): Promise<Verdict> {
  const { counter, counterWindow, syncWindow, syncMarker } = token;
  const reach = { ...check, lookBehind: false };
  const first = syncMarker === null ? undefined : positionOf(syncMarker);
  const next =
    first === undefined || first < counter
      ? { found: undefined, computed: 0 }
      : await search.find({ ...reach, counter: first + 1n, counterWindow: 1 }, max);
  const beyond = {
    ...reach,
    counter: counter + BigInt(counterWindow),
    counterWindow: syncWindow - counterWindow,
  };
  const anywhere =
    syncWindow > counterWindow ? (await search.find(beyond, max - next.computed)).found : undefined;
  return next.found === undefined
    ? firstHalf(check, settings, anywhere, search.now)
    : secondHalf(check, settings, token, next.found);
}

async function findClockAhead(
  search: ResponseSearch,
  { step, ...check }: QuestionCheck & { readonly step: number },
  settings: AheadSettings,
  token: Token,
  max: number,
): Promise<Verdict> {
  const { syncWindow, syncMarker, timeShift } = token;
  const { matches } = await search.all(
    {
      ...check,
      lookBehind: false,
      timeWindow: (check.timeWindow ?? 0) + Math.max(0, timeShift),
      timeAhead: Math.min(syncWindow * step, MAX_CLOCK_SHIFT - timeShift),
    },
    max,
  );
  const second =
    syncMarker === null
      ? undefined
      : matches.find((match) => isSecond(check, match, syncMarker, BigInt(step)));
  return second === undefined
    ? firstHalf(check, settings, matches[0], search.now)
    : secondHalf(check, settings, token, second, { timeShift: clockShiftAt(check, token, second) });
}

/** Excludes the first response itself: the same question in the same step has the same response. */
function isSecond(
  { suite, question }: QuestionCheck,
  found: Candidate,
  firstMarker: string,
  step: bigint,
): boolean {
  const first = positionOf(firstMarker) / step;
  const isLater = isSoonAfter(suite, first, found.timeStep ?? 0n);
  return isLater && markerOfMatch(suite, question, found) !== firstMarker;
}

/**
 * The response is ahead of the windows: it is remembered, and refused for now. One of HOTP or TOTP for a time, as those
 * that somebody has seen can be given at any time; one of OCRA is of a challenge that was open.
 */
function firstHalf(
  { suite, question }: QuestionCheck,
  { autoResyncTimeout }: AheadSettings,
  match: Candidate | undefined,
  now: Date,
): Verdict {
  const marker = match === undefined ? null : markerOfMatch(suite, question, match);
  if (marker === null) {
    return { kind: 'wrong' };
  }
  const end = Math.floor(now.getTime() / 1000) + autoResyncTimeout;
  return {
    kind: 'wrong',
    remember: { syncMarker: suite.question === undefined ? `${marker}@${end}` : marker },
  };
}

/** The response follows the remembered one: the token is in step again. */
function secondHalf(
  { suite, question }: QuestionCheck,
  settings: Pick<OcraSettings, 'timeWindow'>,
  token: Token,
  match: Candidate,
  clock: Pick<TokenStateChange, 'timeShift'> = {},
): Verdict {
  return accept(
    suite,
    settings,
    token,
    match,
    [token.syncMarker, markerOfMatch(suite, question, match)],
    clock,
  );
}
