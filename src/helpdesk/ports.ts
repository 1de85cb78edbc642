import type { ClosedBy } from '../challenges/challenge.ts';
import type { Owner } from '../users/owner.ts';

/** Conditions on the tokens of a page; an absent one does not restrict. */
export interface TokenPageFilter {
  /** Tokens in at least one of these realms; none of them means no token. */
  readonly inRealms?: readonly string[] | undefined;
  /** True: tokens in no realm. */
  readonly inNoRealm?: boolean;
  readonly owner?: Pick<Owner, 'resolverId' | 'userId'> | undefined;
  /** The beginning of the serial, in any case. */
  readonly serialPrefix?: string | undefined;
  readonly active?: boolean | undefined;
  readonly assigned?: boolean | undefined;
  /** True: locked tokens only. */
  readonly isLocked?: boolean;
  /** The serial after which the page begins; absent: the first page. */
  readonly after?: string | undefined;
  /** The most tokens. */
  readonly limit: number;
}

/** A stored challenge of a token, without its question and data. */
export interface LatestTransaction {
  readonly transactionId: string;
  readonly serial: string;
  readonly issuedAt: Date;
  readonly closedBy: ClosedBy | null;
  readonly closedAt: Date | null;
  /** The number of wrong responses to it. */
  readonly wrongCount: number;
}

export interface LatestTransactions {
  /**
   * @param realms audit rows in none of these realms hide a transaction, as in its history; undefined: none does
   * @returns the latest stored challenges of these tokens, newest first, at most so many
   */
  ofTokens(
    tokenIds: readonly string[],
    max: number,
    realms?: readonly string[],
  ): Promise<readonly LatestTransaction[]>;
}
