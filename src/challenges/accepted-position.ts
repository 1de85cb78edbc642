import { hash } from 'node:crypto';
import { MAX_STORED_COUNTER, type Token, type TokenStateChange } from '../tokens/token.ts';
import type { OcraSettings } from '../configuration/settings.ts';
import { timeStepAt } from '../ocra/compute.ts';
import { plainQuestion } from '../ocra/question.ts';
import type { Candidate, WindowReach } from '../ocra/verify.ts';
import type { Verdict } from './challenge.ts';
import type { ResponseAlgorithm } from '../ocra/suite.ts';

/** @returns the position of a response of this moment, for the work that is also done where there is no match */
export function positionNow(suite: ResponseAlgorithm, token: Pick<Token, 'counter'>, now: Date): Candidate {
  const second = BigInt(Math.trunc(now.getTime() / 1000));
  return {
    ...(suite.counter && { counter: token.counter }),
    ...(suite.timeStep !== undefined && { timeStep: second / BigInt(suite.timeStep), second }),
  };
}

/**
 * @returns the replay marker of a response to `question` that matched at `match`, in one form for all spellings of the
 *   question; null where the suite has no position
 */
export function markerOfMatch(suite: ResponseAlgorithm, question: string, match: Candidate): string | null {
  return replayMarker(plainQuestion(suite, question), positionOfMatch(suite, match));
}

function positionOfMatch(
  { timeStep: size }: ResponseAlgorithm,
  { counter, timeStep }: Candidate,
): MatchedPosition {
  return {
    ...(counter !== undefined && { counter }),
    ...(timeStep !== undefined && size !== undefined && { stepStart: timeStep * BigInt(size) }),
  };
}

/**
 * Accepts a response that matched: moves the counter past the match, never back. One that was accepted before is wrong.
 * @param markers as for `advanceTo`
 * @param clock the change of the token's clock shift
 */
export function accept(
  suite: ResponseAlgorithm,
  settings: Pick<OcraSettings, 'timeWindow'>,
  token: Token,
  match: Candidate,
  markers: readonly (string | null)[],
  clock: Pick<TokenStateChange, 'timeShift'> = {},
): Verdict {
  const advance = advanceTo(suite, settings, token, match, markers);
  const isBehind = match.counter !== undefined && match.counter < token.counter;
  return advance === null
    ? { kind: 'wrong' }
    : { kind: 'right', advance: { ...advance, ...clock }, ...(isBehind && { isBehind }) };
}

/**
 * Moves the counter past a match, never back, and records the replay markers of the responses that were used for it.
 * @param markers replay markers of the responses, the match's own last
 * @returns null where one of them was used before, or no counter follows it: the response is then wrong
 */
export function advanceTo(
  suite: ResponseAlgorithm,
  settings: Pick<OcraSettings, 'timeWindow'>,
  token: Token,
  match: Candidate,
  markers: readonly (string | null)[],
): { counter: bigint; replayMarkers: readonly string[]; syncMarker: null } | null {
  const next = (match.counter ?? match.second ?? token.counter) + 1n;
  // A counter that cannot move past a response would let it be accepted again.
  if (next > MAX_STORED_COUNTER || markers.some((marker) => isReplay(token.replayMarkers, marker))) {
    return null;
  }
  const counter = next > token.counter ? next : token.counter;
  const oldest = oldestMatch(suite, settings, token, counter);
  const replayMarkers = markers.reduce(
    (kept, marker) => withReplayMarker(kept, marker, oldest),
    token.replayMarkers,
  );
  return { counter, replayMarkers, syncMarker: null };
}

/**
 * @param reach the window in which the response was searched; its shift is all that is known of the device's clock
 * @returns the token's own shift, in seconds, with which the device's clock is in the step of the match
 */
export function clockShiftAt(
  { suite, now, timeShift: known = 0 }: WindowReach,
  { timeShift }: Pick<Token, 'timeShift'>,
  { timeStep = 0n }: Candidate,
): number {
  const present = timeStepAt(suite, new Date(now.getTime() + known * 1000)) ?? timeStep;
  return timeShift + Number(timeStep - present) * (suite.timeStep ?? 0);
}

/** @returns the lowest position that could still match from now on */
function oldestMatch(
  suite: ResponseAlgorithm,
  settings: Pick<OcraSettings, 'timeWindow'>,
  token: Token,
  counter: bigint,
): bigint {
  const reach = suite.counter
    ? BigInt(Math.floor(token.counterWindow / 2))
    : // The clock may be set and the shift be changed by as much as the window again.
      BigInt(2 * settings.timeWindow + 2 * (suite.timeStep ?? 0));
  return counter - reach;
}

interface MatchedPosition {
  /** RFC 6287 C, for suites with a counter. */
  readonly counter?: bigint;
  /** The second at which the matched time step begins, for suites with a time step. */
  readonly stepStart?: bigint;
}

/**
 * The replay marker of an accepted response: its position and a hash of question and position. Two transactions may
 * carry the same question (the same display data with enough digits). A counter suite accepts a few counters back and a
 * time suite a few steps around, so the response to one would fit the other. Suites without counter and time have no
 * markers: their response depends on the question alone, and the same question must be answerable again.
 * @returns null for suites without counter and time
 */
export function replayMarker(question: string, { counter, stepStart }: MatchedPosition): string | null {
  const position = counter ?? stepStart;
  if (position === undefined) {
    return null;
  }
  const questionHash = hash('sha256', `${counter ?? ''}|${stepStart ?? ''}|${question}`, 'hex');
  return `${position}:${questionHash.slice(0, 32)}`;
}

/** @returns the counter, or the second at which the time step begins, of the marker */
export function positionOf(marker: string): bigint {
  return BigInt(marker.slice(0, marker.indexOf(':')));
}

/**
 * Treats every position below the bottom of the markers as accepted: a wider window or a clock that is set back must
 * not revive forgotten responses.
 * @returns true if this response was accepted before, or may have been
 */
export function isReplay(replayMarkers: readonly string[], marker: string | null): boolean {
  if (marker === null) {
    return false;
  }
  const bottom = bottomOf(replayMarkers);
  return replayMarkers.includes(marker) || (bottom !== undefined && positionOf(marker) < bottom);
}

/**
 * @param oldest positions below this one can no longer match
 * @returns the markers to keep: the bottom, which only moves up, then the new one and those that could still match
 */
export function withReplayMarker(
  replayMarkers: readonly string[],
  marker: string | null,
  oldest: bigint,
): readonly string[] {
  if (marker === null) {
    return replayMarkers;
  }
  const known = bottomOf(replayMarkers) ?? 0n;
  const bottom = oldest > known ? oldest : known;
  const kept = replayMarkers.filter((entry) => !isBottom(entry) && positionOf(entry) >= bottom);
  return [...(bottom > 0n ? [`${bottom}:`] : []), ...kept, marker];
}

/** Reads the bottom, which is stored as a marker without a hash. */
function bottomOf(replayMarkers: readonly string[]): bigint | undefined {
  const bottom = replayMarkers.find(isBottom);
  return bottom === undefined ? undefined : positionOf(bottom);
}

function isBottom(entry: string): boolean {
  return entry.endsWith(':');
}
