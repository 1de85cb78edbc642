import type { Token } from '../accounts/token.ts';
import { markOfMatch, type Match } from './accepted-position.ts';
import { positionOf } from './spent-responses.ts';
import { type ResponseCheck, type Verification, verifyResponse } from './verify.ts';

/** What a response is worth beyond the windows. */
export type FoundAhead =
  /** It follows the one that is remembered, counter for counter: the token is in step again. */
  | { readonly kind: 'second'; readonly match: Match; readonly firstMark: string }
  /** It is ahead of the windows: to be remembered, and refused for now. */
  | { readonly kind: 'first'; readonly mark: string }
  | { readonly kind: 'nothing' };

/**
 * Looks for a response ahead of the windows (RFC 4226 §7.4): two that follow each other, counter for counter, are proof
 * enough that the token has moved on. Only counters can be followed this way; a suite without C
 * finds nothing. Looks at all that it may, whatever it finds first, so that the time taken says nothing.
 * @param check what was looked for in the windows, and not found there
 */
export function findAhead(check: ResponseCheck & { question: string }, token: Token): FoundAhead {
  if (!check.suite.counter) {
    return { kind: 'nothing' };
  }
  const ahead = BigInt(token.counterWindow);
  const anywhere = look(check, token.counter + ahead, Math.max(0, token.syncWindow - token.counterWindow));
  const { syncMark } = token;
  const first = syncMark === null ? undefined : positionOf(syncMark);
  const next =
    first === undefined || first < token.counter ? ({ matched: false } as const) : look(check, first + 1n, 1);
  if (next.matched && syncMark !== null) {
    return { kind: 'second', match: next, firstMark: syncMark };
  }
  const mark = anywhere.matched ? markOfMatch(check.suite, check.question, anywhere) : null;
  return mark === null ? { kind: 'nothing' } : { kind: 'first', mark };
}

function look(check: ResponseCheck, counter: bigint, counterWindow: number): Verification {
  return counterWindow === 0
    ? { matched: false }
    : verifyResponse({ ...check, counter, counterWindow, lookBehind: false });
}
