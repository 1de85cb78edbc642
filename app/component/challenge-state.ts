/** The state of a transaction, as the portal tells it. `failcount` rises with each wrong response. */
export interface ChallengeState {
  readonly state: 'open' | 'accepted' | 'expired';
  readonly failcount: number;
}

/** @returns the state in an answer of the portal; undefined if it is none */
export function readChallengeState(answer: unknown): ChallengeState | undefined {
  if (typeof answer !== 'object' || answer === null) {
    return undefined;
  }
  const { state, failcount = 0 } = answer as { state?: unknown; failcount?: unknown };
  const isState = state === 'open' || state === 'accepted' || state === 'expired';
  return isState && Number.isSafeInteger(failcount) ? { state, failcount: Number(failcount) } : undefined;
}
