import { LRUCache } from 'lru-cache';
import type { ChallengeOfToken } from './challenge.ts';
import type { Sealed } from '../keys/vault.ts';
import type { TokenSecrets } from '../tokens/token.ts';

/** Within this time most responses come; later ones are answered after a read. The cache keeps the last millisecond, too. */
const LIFETIME_MS = 119_999;

/** The most challenges to keep, about 3 kB each. */
const MAX_CHALLENGES = 1_000;

/**
 * Challenges that this server has issued lately, each with its token as it was then. Of a token, only the newest one:
 * its issue has changed the token since the others.
 */
export class IssuedChallenges {
  readonly #byTransaction: LRUCache<string, ChallengeOfToken>;
  /** The transaction of each token in the memory. */
  readonly #newest = new Map<string, string>();

  /** @param elapsed milliseconds of a clock that never goes back */
  constructor(elapsed: () => number) {
    this.#byTransaction = new LRUCache({
      max: MAX_CHALLENGES,
      ttl: LIFETIME_MS,
      ttlResolution: 0,
      // What is too old leaves the memory also where nothing is issued any more: names and payments.
      ttlAutopurge: true,
      perf: { now: elapsed },
      dispose: ({ token }) => this.#newest.delete(token.id),
    });
  }

  get size(): number {
    return this.#byTransaction.size;
  }

  keep({ challenge, token }: ChallengeOfToken): void {
    this.forget(token.id);
    this.#byTransaction.set(challenge.transactionId, {
      challenge,
      token: { ...token, secrets: ownCopies(token.secrets) },
    });
    this.#newest.set(token.id, challenge.transactionId);
  }

  /** @returns the challenge, which is not kept any longer */
  consume(transactionId: string): ChallengeOfToken | undefined {
    const issued = this.#byTransaction.get(transactionId);
    this.#byTransaction.delete(transactionId);
    return issued;
  }

  /** Removes the challenge of a token that has changed since. */
  forget(tokenId: string): void {
    const transactionId = this.#newest.get(tokenId);
    if (transactionId !== undefined) {
      this.#byTransaction.delete(transactionId);
    }
  }
}

/**
 * The driver's buffers are parts of larger ones, in which opened keys may lie, too: kept, they would keep those keys in
 * the memory of the process.
 */
function ownCopies({ seed, sharedSecret, nonce, pin, ocraPin }: TokenSecrets): TokenSecrets {
  return {
    seed: ownCopy(seed),
    sharedSecret: ownCopy(sharedSecret),
    nonce: ownCopy(nonce),
    pin: ownCopy(pin),
    ocraPin: ownCopy(ocraPin),
  };
}

function ownCopy(secret: Sealed | null): Sealed | null {
  if (secret === null) {
    return null;
  }
  const copy = Buffer.allocUnsafeSlow(secret.length);
  secret.copy(copy);
  return copy as Sealed;
}
