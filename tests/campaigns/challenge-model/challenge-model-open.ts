import type { ModelVerdict } from './challenge-model-acceptance.ts';
import { hasCounter, hasTime, responseAt } from './challenge-model-responses.ts';
import type { ModelChallenge, ModelToken } from './challenge-model-state.ts';

/** An open challenge with its token, and the result for the response. */
export interface OpenChallenge {
  readonly challenge: ModelChallenge;
  readonly token: ModelToken;
  readonly verdict: ModelVerdict;
}

/**
 * Chooses the challenge of a response without a transaction: the newest one that it is right for. Otherwise the
 * response counts once: for the token that it begins to resynchronise, or the newest one; for a locked token only if
 * all are locked.
 * @param open newest first
 * @param most the most challenges of a token that are tried
 */
export function chooseOpen(open: readonly OpenChallenge[], most: number): OpenChallenge | undefined {
  const active = open.filter(({ token }) => token.active);
  const unlocked = active.filter(({ token }) => token.failCount < token.maxFail);
  const tried = unlocked.filter((one) => unlocked.filter(isOfTheSame(one)).indexOf(one) < most);
  const right = tried.find(({ verdict }) => verdict !== null && 'usable' in verdict);
  const half = tried.find(({ verdict }) => verdict !== null && 'ahead' in verdict);
  const blamed = (half && unlocked.find(isOfTheSame(half))) ?? unlocked[0] ?? active[0] ?? open[0];
  return right ?? (blamed && { ...blamed, verdict: half?.verdict ?? null });
}

function isOfTheSame({ token }: OpenChallenge): (other: OpenChallenge) => boolean {
  return (other) => other.token === token;
}

/** Without counter and time, a response fits every challenge with its question: none of them stays open. */
export function closeSharing(answered: OpenChallenge, open: readonly OpenChallenge[]): void {
  const { suite, key } = answered.token;
  if (hasCounter(suite) || hasTime(suite) || key === null) {
    return;
  }
  const response = ({ challenge }: OpenChallenge): string =>
    responseAt({ suite, key }, challenge.question, null);
  for (const other of open.filter(isOfTheSame(answered))) {
    if (other.challenge.closed === null && response(other) === response(answered)) {
      other.challenge.closed = 'superseded';
    }
  }
}
