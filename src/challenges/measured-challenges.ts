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
  /** Counts a response, by its applied decision. */
  responseEnded(reason: ResponseReason): void;
  /** Counts a token whose fail counter has reached its limit by a response. */
  tokenLocked(): void;
}

/** @returns a store that counts what it applies */
export function measuredChallenges(store: ChallengeStore, metrics: ChallengeMetrics): ChallengeStore {
  const ended = (token: Token, { reason, failCount }: Decision): void => {
    metrics.responseEnded(reason);
    if (!isLocked(token) && isLocked({ failCount, maxFail: token.maxFail })) {
      metrics.tokenLocked();
    }
  };
  return {
    issue: async (...given) => {
      const isStored = await store.issue(...given);
      if (isStored) {
        metrics.challengeIssued();
      }
      return isStored;
    },
    answer: async (transactionId, decide, act) => {
      // Of repeated decisions, the last one is applied.
      let decidedOn: ChallengeOfToken | undefined;
      const remember = (found: ChallengeOfToken): Promise<Decision> => {
        decidedOn = found;
        return decide(found);
      };
      const decision = await store.answer(transactionId, remember, act);
      if (decision === undefined || decidedOn === undefined) {
        metrics.responseEnded('unknown');
      } else {
        ended(decidedOn.token, decision);
      }
      return decision;
    },
    answerOpen: async (whose, decide, act) => {
      const applied: OpenDecision | undefined = await store.answerOpen(whose, decide, act);
      if (applied === undefined) {
        metrics.responseEnded('nothing open');
      } else {
        ended(applied.answered.token, applied.decision);
      }
      return applied;
    },
    find: (filter) => store.find(filter),
  };
}
