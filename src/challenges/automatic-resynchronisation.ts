import type { Token, TokenStateChange } from '../tokens/token.ts';
import { clockShiftAt, markerOfMatch } from './accepted-position.ts';
import type { ResponseSearch } from '../ocra/response-search.ts';
import type { Candidate } from '../ocra/response-window.ts';
import { MAX_CLOCK_SHIFT, isSoonAfter } from './resynchronisation.ts';
import { positionOf } from './replay-markers.ts';
import type { Match, ResponseCheck } from '../ocra/verify.ts';

/** The result of the search beyond the windows. */
export type FoundAhead =
  /** The response follows the remembered one: the token is in step again. */
  | {
      readonly kind: 'second';
      readonly match: Match;
      readonly firstMarker: string;
      /** The change of the clock shift that follows. */
      readonly clock: Pick<TokenStateChange, 'timeShift'>;
    }
  /** The response is ahead of the windows: it is remembered, and refused for now. */
  | { readonly kind: 'first'; readonly marker: string }
  | { readonly kind: 'nothing' };

type QuestionCheck = ResponseCheck & { readonly question: string };

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
 * @param check the check that found no match within the windows
 * @param max maximum number of candidates
 */
export async function findAhead(
  search: ResponseSearch,
  check: QuestionCheck,
  token: Token,
  max: number,
): Promise<FoundAhead> {
  if (check.suite.counter) {
    return findCounterAhead(search, check, token, max);
  }
  return check.suite.timeStep === undefined
    ? { kind: 'nothing' }
    : findClockAhead(search, check, token, check.suite.timeStep, max);
}

async function findCounterAhead(
  search: ResponseSearch,
  check: QuestionCheck,
  token: Token,
  max: number,
): Promise<FoundAhead> {
  const { counter, counterWindow, syncWindow, syncMarker } = token;
  const reach = { ...check, lookBehind: false };
  const first = syncMarker === null ? undefined : positionOf(syncMarker);
  const next =
    first === undefined || first < counter
      ? { found: { matched: false } as const, computed: 0 }
      : await search.find({ ...reach, counter: first + 1n, counterWindow: 1 }, max);
  const beyond = {
    ...reach,
    counter: counter + BigInt(counterWindow),
    counterWindow: syncWindow - counterWindow,
  };
  const anywhere =
    syncWindow > counterWindow
      ? (await search.find(beyond, max - next.computed)).found
      : { matched: false as const };
  if (next.found.matched && syncMarker !== null) {
    return { kind: 'second', match: next.found, firstMarker: syncMarker, clock: {} };
  }
  return anywhere.matched ? firstHalf(check, anywhere) : { kind: 'nothing' };
}

async function findClockAhead(
  search: ResponseSearch,
  check: QuestionCheck,
  token: Token,
  step: number,
  max: number,
): Promise<FoundAhead> {
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
  if (second !== undefined && syncMarker !== null) {
    const match = { matched: true, ...second } as const;
    const clock = { timeShift: clockShiftAt(check, token, match) };
    return { kind: 'second', match, firstMarker: syncMarker, clock };
  }
  const [earliest] = matches;
  return earliest === undefined ? { kind: 'nothing' } : firstHalf(check, { matched: true, ...earliest });
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
  return isLater && markerOfMatch(suite, question, { matched: true, ...found }) !== firstMarker;
}

function firstHalf({ suite, question }: QuestionCheck, match: Match): FoundAhead {
  const marker = markerOfMatch(suite, question, match);
  return marker === null ? { kind: 'nothing' } : { kind: 'first', marker };
}
