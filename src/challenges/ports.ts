import type { Owner } from '../users/owner.ts';
import type { Sealed } from '../keys/vault.ts';
import type { TokenSecrets, Token, TokenChange } from '../tokens/token.ts';
import type { Challenge, ClosedBy, Decision } from './challenge.ts';
import type { Act } from '../policy/caller.ts';
import type { ShownQuestions } from '../ocra/question.ts';

export interface NewChallenge {
  readonly tokenId: string;
  readonly transactionId: string;
  /** RFC 6287 Q, drawn from `questions`. */
  readonly question: string;
  /** The questions that may take its place. */
  readonly questions: ShownQuestions;
  /** The text that the device shows. */
  readonly data: string;
  readonly issuedAt: Date;
  /** True for that of an administrator's sign-in, which those of others do not supersede. */
  readonly signIn?: true | undefined;
  /** The user by whom the token was found. The token must still have this owner. */
  readonly owner?: Pick<Owner, 'resolverId' | 'userId'> | undefined;
  /** The token's realms when a realm-bound administrator found it. The token must still have exactly these. */
  readonly realms?: readonly string[] | undefined;
  /** The token as it was read. While it has this version, all that is required of it holds. */
  readonly seen?: Token;
  /** The secret from which the token's key was derived, in roll-out phase 2. The token must still have it. */
  readonly sharedSecret?: Sealed;
  /** The key that signed the challenge. The token must still have it. */
  readonly key?: Pick<TokenSecrets, 'seed'> & Partial<Pick<TokenSecrets, 'sharedSecret'>>;
}

/** A challenge together with its token. */
export interface ChallengeOfToken {
  readonly challenge: Challenge;
  readonly token: Token;
}

/** Selection of challenges: all given fields must match. At least one is given. */
export interface ChallengeFilter {
  readonly transactionId?: string;
  readonly serial?: string;
  readonly owner?: Pick<Owner, 'resolverId' | 'userId'>;
  /** Selects those that are not closed, without those of sign-ins; they may have expired. */
  readonly open?: true;
}

/** The challenges of a token, or of all tokens of a user. */
export type TokenOrOwner =
  Required<Pick<ChallengeFilter, 'serial'>> | Required<Pick<ChallengeFilter, 'owner'>>;

/** The decision on a response that may answer any of several challenges. */
export interface OpenDecision {
  /** The challenge that the decision is on. */
  readonly answered: ChallengeOfToken;
  readonly decision: Decision;
  /** Ids of the challenges of the same token that close with it. */
  readonly supersedes?: readonly string[];
}

/** Challenges. The row of the token is the lock and the version for all of its challenges. */
export interface ChallengeStore {
  /**
   * Stores a challenge and closes the token's oldest open ones beyond `maxOpen`, in one transaction; those of sign-ins
   * and others are counted apart. No response to one text confirms another: where the question is that of a stored
   * challenge of the token with another text, another one takes its place. Challenges that were accepted count for
   * suites without a counter only: with one, the responses that were made for them before are behind the counter, and
   * `answer` refuses them. One that the app made again afterwards is not told apart (SECURITY.md, Limits).
   * @param change a simultaneous change of the token (roll-out phase 2); one of its key closes all others
   * @returns the question; undefined when the transaction id is in use, and nothing was stored
   * @throws ServiceError 'token.unknown' when the token no longer exists, 'token.state' when its owner, secret or
   *   realms may no longer be the required ones, 'challenge.no-question' where no question is free
   */
  issue(
    challenge: NewChallenge,
    maxOpen: number,
    act: Act,
    change?: TokenChange,
  ): Promise<string | undefined>;
  /**
   * Answers a challenge exactly once: takes it with its token from memory or from the database, calls `decide`, and
   * applies the decision only if the token and its challenges have not changed in between; otherwise decides again, on
   * what is stored, at last under the token's lock.
   * @param decide may be called more than once, `holdsLock` under the token's lock; must not have effects of its own.
   *   Its reads may need a second connection to the database
   * @param mayRemember false for a token of which a decision must not be made on a state that may have passed
   * @returns the decision that was applied, undefined when there is no such transaction
   */
  answer(
    transactionId: string,
    decide: (found: ChallengeOfToken, holdsLock: boolean) => Promise<Decision>,
    act: Act,
    mayRemember?: (token: Token) => boolean,
  ): Promise<Decision | undefined>;
  /**
   * Applies a decision as `answer` does, for a response that names no transaction.
   * @param decide gets the challenges that are not closed, newest first, a thousand at most, without those of sign-ins,
   *   which name their transaction; undefined: the response answers none of them. A repeated call gets no tokens that the first one did not get
   * @returns the decision that was applied, undefined where there is none
   */
  answerOpen(
    tokenOrOwner: TokenOrOwner,
    decide: (found: readonly ChallengeOfToken[], holdsLock: boolean) => Promise<OpenDecision | undefined>,
    act: Act,
  ): Promise<OpenDecision | undefined>;
  /** @returns the matching challenges of OCRA tokens, newest first */
  find(filter: ChallengeFilter): Promise<readonly ChallengeOfToken[]>;
}

/** The state of a challenge, as far as a request can wait for its change. */
export interface WatchedState extends Pick<Challenge, 'receivedTan' | 'validTan' | 'closedBy'> {
  /** The token's fail counter. */
  readonly failCount: number;
}

/** Challenges whose changes requests wait for. */
export interface WatchedChallenges {
  /**
   * Makes the database tell all servers of changes of an open challenge. A change that is under way is over when this
   * returns.
   * @param id the challenge's
   */
  mark(id: string, seconds: number): Promise<void>;
  /** @returns the states by the ids of the challenges, without those that are no longer stored */
  states(ids: readonly string[]): Promise<ReadonlyMap<string, WatchedState>>;
}

/** A stored challenge by its transaction, without question and key. */
export interface StoredTransaction {
  readonly serial: string;
  /** The realms of the token now. */
  readonly realms: readonly string[];
  /** The display data. */
  readonly data: string;
  readonly issuedAt: Date;
  readonly closedBy: ClosedBy | null;
  /** Null while it is open. */
  readonly closedAt: Date | null;
}

export interface TransactionStore {
  find(transactionId: string): Promise<StoredTransaction | undefined>;
}
