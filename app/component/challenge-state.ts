const STATES = ['open', 'accepted', 'declined', 'expired'] as const;

/** The state of a transaction, as the portal tells it. `failcount` rises with each wrong response. */
export interface ChallengeState {
  readonly state: (typeof STATES)[number];
  readonly failcount: number;
}

/** @returns the state in an answer of the portal; undefined if it is none */
export function readChallengeState(answer: unknown): ChallengeState | undefined {
  if (typeof answer !== 'object' || answer === null) {
    return undefined;
  }
  const { state: told, failcount = 0 } = answer as { state?: unknown; failcount?: unknown };
  const state = STATES.find((known) => known === told);
  return state !== undefined && Number.isSafeInteger(failcount)
    ? { state, failcount: Number(failcount) }
    : undefined;
}
