import { isLocked, type Token } from '../tokens/token.ts';
import type { Decision } from './challenge.ts';
import type { ChallengeOfToken, ChallengeStore, OpenDecision } from './ports.ts';

/** Every reason of the end of a response: that of the decision, or of none. */
export const RESPONSE_REASONS = [
  'accepted',
  'wrong',
  'exhausted',
  'locked',
  'closed',
  'dropped',
  'expired',
  'disabled',
  'unverifiable',
  'unknown',
  'nothing open',
] as const satisfies readonly (Decision['reason'] | 'unknown' | 'nothing open')[];

/**
 * The reason of the end of a response. `unknown`: there is no such transaction; `nothing open`: it names none, and no
 * challenge is open.
 */
export type ResponseReason = (typeof RESPONSE_REASONS)[number];

/** The metrics of challenges. */
export interface ChallengeMetrics {
  /** Counts a challenge that was stored. */
  challengeIssued(): void;
  /**
   * Counts a response, by its applied decision.
   * @param milliseconds from the search for its challenge to the end of its settlement
   */
  responseEnded(reason: ResponseReason, milliseconds: number): void;
  /** Counts a token whose fail counter has reached its limit by a response. */
  tokenLocked(): void;
}

/**
 * @param elapsed milliseconds of a clock that never goes back
 * @returns a store that counts what it applies
 */
export function measuredChallenges(
  store: ChallengeStore,
  metrics: ChallengeMetrics,
  elapsed: () => number,
): ChallengeStore {
  const noteEnd = (token: Token, { reason, failCount }: Decision, begun: number): void => {
    metrics.responseEnded(reason, elapsed() - begun);
    if (!isLocked(token) && isLocked({ failCount, maxFail: token.maxFail })) {
      metrics.tokenLocked();
    }
  };
  return {
    issue: async (...args) => {
      const question = await store.issue(...args);
      if (question !== undefined) {
        metrics.challengeIssued();
      }
      return question;
    },
    answer: async (transactionId, decide, act, mayRemember) => {
      const begun = elapsed();
      // Of repeated decisions, the last one is applied.
      let decidedOn: ChallengeOfToken | undefined;
      const remember: typeof decide = (found, holdsLock) => {
        decidedOn = found;
        return decide(found, holdsLock);
      };
      const decision = await store.answer(transactionId, remember, act, mayRemember);
      if (decision === undefined || decidedOn === undefined) {
        metrics.responseEnded('unknown', elapsed() - begun);
      } else {
        noteEnd(decidedOn.token, decision, begun);
      }
      return decision;
    },
    answerOpen: async (tokenOrOwner, decide, act) => {
      const begun = elapsed();
      const applied: OpenDecision | undefined = await store.answerOpen(tokenOrOwner, decide, act);
      if (applied === undefined) {
        metrics.responseEnded('nothing open', elapsed() - begun);
      } else {
        noteEnd(applied.answered.token, applied.decision, begun);
      }
      return applied;
    },
    find: (filter) => store.find(filter),
  };
}
