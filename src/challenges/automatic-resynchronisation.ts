import type { Token, TokenStateChange } from '../tokens/token.ts';
import { clockShiftAt, markerOfMatch } from './accepted-position.ts';
import type { ResponseSearch } from '../ocra/response-search.ts';
import type { Candidate } from '../ocra/response-window.ts';
import { MAX_CLOCK_SHIFT, isSoonAfter } from './resynchronisation.ts';
import { positionOf } from './replay-markers.ts';
import type { Match, ResponseCheck } from '../ocra/verify.ts';

/** What a response is worth beyond the windows. */
export type FoundAhead =
  /** It follows the one that is remembered: the token is in step again. */
  | {
      readonly kind: 'second';
      readonly match: Match;
      readonly firstMark: string;
      /** What follows of the device's clock. */
      readonly clock: Pick<TokenStateChange, 'timeShift'>;
    }
  /** It is ahead of the windows: to be remembered, and refused for now. */
  | { readonly kind: 'first'; readonly mark: string }
  | { readonly kind: 'nothing' };

type Wanted = ResponseCheck & { readonly question: string };

/**
 * Looks for a response ahead of the windows (RFC 4226 §7.4): two that follow each other are proof enough that the token
 * has moved on. Looks at all that it may, whatever it finds first, so that the time taken says nothing.
 *
 * - C: counters that follow each other, in the sync window.
 * - T without C: the same time step or later ones within five minutes, in as many steps ahead of the known clock as the
 *   sync window has; of the server's clock never further than a day. A device that is slow is not followed, as responses
 *   that somebody has kept would pass for its. Only a clock that had been fast is followed back, as far as the server's.
 * - Neither: there is nothing to follow.
 * @param check what was looked for in the windows, and not found there
 * @param most candidates to be tried
 */
export async function findAhead(
  search: ResponseSearch,
  check: Wanted,
  token: Token,
  most: number,
): Promise<FoundAhead> {
  if (check.suite.counter) {
    return findCounterAhead(search, check, token, most);
  }
  return check.suite.timeStep === undefined
    ? { kind: 'nothing' }
    : findClockAhead(search, check, token, check.suite.timeStep, most);
}

async function findCounterAhead(
  search: ResponseSearch,
  check: Wanted,
  token: Token,
  most: number,
): Promise<FoundAhead> {
  const { counter, counterWindow, syncWindow, syncMarker } = token;
  const reach = { ...check, lookBehind: false };
  const first = syncMarker === null ? undefined : positionOf(syncMarker);
  const next =
    first === undefined || first < counter
      ? { found: { matched: false } as const, taken: 0 }
      : await search.find({ ...reach, counter: first + 1n, counterWindow: 1 }, most);
  const beyond = {
    ...reach,
    counter: counter + BigInt(counterWindow),
    counterWindow: syncWindow - counterWindow,
  };
  const anywhere =
    syncWindow > counterWindow
      ? (await search.find(beyond, most - next.taken)).found
      : { matched: false as const };
  if (next.found.matched && syncMarker !== null) {
    return { kind: 'second', match: next.found, firstMark: syncMarker, clock: {} };
  }
  return anywhere.matched ? firstHalf(check, anywhere) : { kind: 'nothing' };
}

async function findClockAhead(
  search: ResponseSearch,
  check: Wanted,
  token: Token,
  step: number,
  most: number,
): Promise<FoundAhead> {
  const { syncWindow, syncMarker, timeShift } = token;
  const { matches } = await search.all(
    {
      ...{ ...check, lookBehind: false },
      timeWindow: (check.timeWindow ?? 0) + Math.max(0, timeShift),
      timeAhead: Math.min(syncWindow * step, MAX_CLOCK_SHIFT - timeShift),
    },
    most,
  );
  const second =
    syncMarker === null
      ? undefined
      : matches.find((match) => isSecond(check, match, syncMarker, BigInt(step)));
  if (second !== undefined && syncMarker !== null) {
    const match = { matched: true, ...second } as const;
    const clock = { timeShift: clockShiftAt(check, token, match) };
    return { kind: 'second', match, firstMark: syncMarker, clock };
  }
  const [earliest] = matches;
  return earliest === undefined ? { kind: 'nothing' } : firstHalf(check, { matched: true, ...earliest });
}

/** The same question in the same step has the same response: that would be one, given twice. */
function isSecond({ suite, question }: Wanted, found: Candidate, firstMark: string, step: bigint): boolean {
  const first = positionOf(firstMark) / step;
  const isLater = isSoonAfter(suite, first, found.timeStep ?? 0n);
  return isLater && markerOfMatch(suite, question, { matched: true, ...found }) !== firstMark;
}

function firstHalf({ suite, question }: Wanted, match: Match): FoundAhead {
  const mark = markerOfMatch(suite, question, match);
  return mark === null ? { kind: 'nothing' } : { kind: 'first', mark };
}
