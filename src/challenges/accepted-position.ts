import { MAX_STORED_COUNTER, type Token } from '../tokens/token.ts';
import type { OcraSettings } from './ocra-settings.ts';
import { timeStepAt } from '../ocra/data-input.ts';
import { plainQuestion } from '../ocra/question.ts';
import type { WindowReach } from '../ocra/response-window.ts';
import { isReplay, type MatchedPosition, replayMarker, withReplayMarker } from './replay-markers.ts';
import type { OcraSuite } from '../ocra/suite.ts';
import type { Match } from '../ocra/verify.ts';

/** @returns the position of a response of this moment, for the work that is also done where there is no match */
export function positionNow(suite: OcraSuite, token: Pick<Token, 'counter'>, now: Date): Match {
  const second = BigInt(Math.trunc(now.getTime() / 1000));
  return {
    matched: true,
    ...(suite.counter && { counter: token.counter }),
    ...(suite.timeStep !== undefined && { timeStep: second / BigInt(suite.timeStep), second }),
  };
}

/**
 * @returns the replay marker of a response to `question` that matched at `match`, in one form for all spellings of the
 *   question; null where the suite has no position
 */
export function markerOfMatch(suite: OcraSuite, question: string, match: Match): string | null {
  return replayMarker(plainQuestion(suite, question), positionOfMatch(suite, match));
}

function positionOfMatch({ timeStep: size }: OcraSuite, { counter, timeStep }: Match): MatchedPosition {
  return {
    ...(counter !== undefined && { counter }),
    ...(timeStep !== undefined && size !== undefined && { stepStart: timeStep * BigInt(size) }),
  };
}

/**
 * Moves the counter past a match, never back, and records the replay markers of the responses that were used for it.
 * @param markers replay markers of the responses, the match's own last
 * @returns null where one of them was used before, or no counter follows it: the response is then wrong
 */
export function advanceTo(
  suite: OcraSuite,
  settings: Pick<OcraSettings, 'timeWindow'>,
  token: Token,
  match: Match,
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
  { timeStep = 0n }: Match,
): number {
  const present = timeStepAt(suite, new Date(now.getTime() + known * 1000)) ?? timeStep;
  return timeShift + Number(timeStep - present) * (suite.timeStep ?? 0);
}

/** @returns the lowest position that could still match from now on */
function oldestMatch(
  suite: OcraSuite,
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
