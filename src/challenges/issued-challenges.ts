import { LRUCache } from 'lru-cache';
import type { ChallengeOfToken } from './challenge.ts';

/** The most bytes of all remembered challenges. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Bytes of a challenge and its token without texts of any length. */
const FIXED_BYTES = 2_048;

/**
 * The challenges that this server has issued, each with its token as the issue left it, for one answer: it is settled
 * without being read, if the token still has this version and the challenge is there and open
 * (docs/adr/0003-accepting-a-response-once.md#remembered-challenges).
 */
export class IssuedChallenges {
  readonly #byTransaction = new LRUCache<string, ChallengeOfToken>({
    maxSize: MAX_BYTES,
    sizeCalculation: bytesOf,
    dispose: ({ token, challenge }) => {
      if (this.#newest.get(token.id) === challenge.transactionId) {
        this.#newest.delete(token.id);
      }
    },
  });
  /** The transaction by the id of its token: the issue of another one changes the version. */
  readonly #newest = new Map<string, string>();
  #revision = -1n;

  /**
   * @param revision of the configuration that the request began with: names of realms and resolvers are as of it
   * @param issued as one statement has stored it: the version is what that made of the token's
   */
  remember(revision: bigint, issued: ChallengeOfToken): void {
    this.#keep(revision);
    const { transactionId } = issued.challenge;
    const before = this.#newest.get(issued.token.id);
    if (before !== undefined) {
      this.#byTransaction.delete(before);
    }
    this.#byTransaction.set(transactionId, issued);
    this.#newest.set(issued.token.id, transactionId);
  }

  /** @returns the challenge, which is forgotten; undefined where it is not remembered, or the configuration has changed */
  take(revision: bigint, transactionId: string): ChallengeOfToken | undefined {
    this.#keep(revision);
    const issued = this.#byTransaction.get(transactionId);
    this.#byTransaction.delete(transactionId);
    return issued;
  }

  /** Forgets all: the database was away, and may be another one. */
  forget(): void {
    this.#byTransaction.clear();
  }

  #keep(revision: bigint): void {
    if (revision !== this.#revision) {
      this.forget();
      this.#revision = revision;
    }
  }
}

function bytesOf({ challenge, token }: ChallengeOfToken): number {
  const texts = [
    challenge.data,
    challenge.question,
    token.description,
    ...token.realms,
    ...token.replayMarkers,
  ];
  return texts.reduce((sum, text) => sum + 2 * text.length, FIXED_BYTES);
}
