import type { ChallengeOfToken } from '../../challenges/ports.ts';
import { AgingMap } from '../../kernel/aging-map.ts';

/** Within this time most responses come; later ones are answered after a read. */
const LIFETIME_MS = 120_000;

/** The most challenges to keep, about 2 kB each. */
const MAX_CHALLENGES = 2_000;

/**
 * Challenges that this server has issued lately, each with its token as it was then. Of a token, only the newest one:
 * its issue has changed the token since the others.
 */
export class IssuedChallenges {
  readonly #byTransaction: AgingMap<ChallengeOfToken>;
  readonly #newest: AgingMap<string>;

  /** @param elapsed milliseconds of a clock that never goes back */
  constructor(elapsed: () => number) {
    const bounds = { lifetime: LIFETIME_MS, max: MAX_CHALLENGES, elapsed };
    this.#byTransaction = new AgingMap(bounds);
    this.#newest = new AgingMap(bounds);
  }

  keep(issued: ChallengeOfToken): void {
    const { challenge, token } = issued;
    const earlier = this.#newest.get(token.id);
    if (earlier !== undefined) {
      this.#byTransaction.delete(earlier);
    }
    this.#newest.set(token.id, challenge.transactionId);
    this.#byTransaction.set(challenge.transactionId, issued);
  }

  /** @returns the challenge, which is not kept any longer */
  take(transactionId: string): ChallengeOfToken | undefined {
    const issued = this.#byTransaction.get(transactionId);
    this.#byTransaction.delete(transactionId);
    return issued;
  }
}
