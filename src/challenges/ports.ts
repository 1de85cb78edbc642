import type { Owner } from '../users/owner.ts';
import type { Sealed } from '../keys/vault.ts';
import type { TokenSecrets, Token, TokenStateChange, TokenChange } from '../tokens/token.ts';
import type { Challenge, Decision } from './challenge.ts';
import type { Act } from '../policy/caller.ts';

export interface NewChallenge {
  readonly tokenId: string;
  readonly transactionId: string;
  /** RFC 6287 Q, as it is given to the device. */
  readonly question: string;
  /** The display data that the question was made from. */
  readonly data: string;
  readonly issuedAt: Date;
  /** Where the token was found by its user: who must still own it. */
  readonly owner?: Pick<Owner, 'resolverId' | 'userId'> | undefined;
  /** Where the token was found in realms that bind the administrator: it must still be in these, and no others. */
  readonly realms?: readonly string[] | undefined;
  /** In roll-out phase 2: what the token's key was derived from. The token must still have it. */
  readonly sharedSecret?: Sealed;
  /** What the challenge was signed with. The token must still have it. */
  readonly key?: Pick<TokenSecrets, 'seed'> & Partial<Pick<TokenSecrets, 'sharedSecret'>>;
}

/** A challenge together with the token it was issued for. */
export interface ChallengeOfToken {
  readonly challenge: Challenge;
  readonly token: Token;
}

/** Which challenges to look for: all that is given must match. At least one is given. */
export interface ChallengeFilter {
  readonly transactionId?: string;
  readonly serial?: string;
  readonly owner?: Pick<Owner, 'resolverId' | 'userId'>;
  /** Those that are not closed; they may have expired. */
  readonly open?: true;
}

/** Whose challenges are meant: those of a token, or of all tokens of a user. */
export type Whose = Required<Pick<ChallengeFilter, 'serial'>> | Required<Pick<ChallengeFilter, 'owner'>>;

/** The end of one look at a response that may answer any of several challenges. */
export interface OpenDecision {
  /** The one that the decision is on. */
  readonly answered: ChallengeOfToken;
  readonly decision: Decision;
  /** Challenges of the same token that close with it, by id. */
  readonly supersedes?: readonly string[];
}

/** A token, and what it was asked last. */
export interface QuestionedToken {
  readonly token: Token;
  /** The questions of its latest challenges, newest first, two at most. */
  readonly questions: readonly string[];
}

/** Tokens that are changed by what they are, while nobody else can change them. */
export interface LockedTokens {
  /**
   * @param decide gives the change, null for none; it is audited either way
   * @returns whether there was a change, undefined when there is no such token
   */
  change(
    serial: string,
    decide: (found: QuestionedToken) => TokenStateChange | null,
    act: Act,
  ): Promise<boolean | undefined>;
}

/** Challenges. The row of the token is the lock and the version for all of its challenges. */
export interface ChallengeStore {
  /**
   * Stores a challenge and closes the token's oldest open ones beyond `maxOpen`, in one transaction.
   * @param change what is changed of the token with it (roll-out phase 2)
   * @returns false when the transaction id is taken, and nothing was stored. @throws 'token.unknown' when the token has
   *   gone, 'token.state' when it may also have another owner, secret or other realms by now than it must have
   */
  issue(challenge: NewChallenge, maxOpen: number, act: Act, change?: TokenChange): Promise<boolean>;
  /**
   * Answers a challenge exactly once: reads it with its token, lets `decide` decide, and applies the decision only if
   * nobody has changed the token or its challenges in between; otherwise decides again, then holding the token's lock.
   * @param decide may be called more than once; must not have effects of its own. What it reads from the database may
   *   need a second connection
   * @returns the decision that was applied, undefined when there is no such transaction
   */
  answer(
    transactionId: string,
    decide: (found: ChallengeOfToken) => Promise<Decision>,
    act: Act,
  ): Promise<Decision | undefined>;
  /**
   * As `answer`, for a response that names no transaction.
   * @param decide gets all that is not closed, newest first, of a thousand at most; undefined: it answers none of them.
   *   A further look has no other tokens than the first one
   * @returns the decision that was applied, undefined where there is none
   */
  answerOpen(
    whose: Whose,
    decide: (found: readonly ChallengeOfToken[]) => Promise<OpenDecision | undefined>,
    act: Act,
  ): Promise<OpenDecision | undefined>;
  /** @returns what matches, of OCRA tokens only, newest first */
  find(filter: ChallengeFilter): Promise<readonly ChallengeOfToken[]>;
}
