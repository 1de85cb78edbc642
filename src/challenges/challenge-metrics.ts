import type { Decision } from './challenge.ts';

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
