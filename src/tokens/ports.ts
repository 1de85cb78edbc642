import type { Owner } from '../users/owner.ts';
import type { Token, TokenStateChange, NewToken, TokenChange } from './token.ts';
import type { Act } from '../policy/caller.ts';

/** Conditions on tokens; an absent one does not restrict. Nothing here is a wildcard. */
export interface TokenFilter {
  readonly serial?: string | undefined;
  /** The beginning of the serial. */
  readonly serialPrefix?: string | undefined;
  readonly owner?: Pick<Owner, 'resolverId' | 'userId'> | undefined;
  /** A realm's name; null: tokens in no realm. */
  readonly realm?: string | null | undefined;
  /** Tokens in at least one of these realms; none of them means no token. */
  readonly inRealms?: readonly string[] | undefined;
  readonly active?: boolean | undefined;
  readonly assigned?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/**
 * Decides on a token while it is locked; what was read before the lock may be out of date.
 * @returns a further change
 * @throws an error that prevents the whole change
 */
export type LockedDecision = (token: Token) => TokenStateChange;

/** A serial is `given` if a client chose it, `generated` if this server has made it at random. */
export type SerialOrigin = 'given' | 'generated';

export interface TokenStore {
  /** @returns the token with exactly this serial */
  findBySerial(serial: string): Promise<Token | undefined>;
  /** @returns tokens by serial */
  list(filter: TokenFilter): Promise<readonly Token[]>;
  count(filter: TokenFilter): Promise<number>;
  /**
   * @param origin default: `given`
   * @throws 'token.exists' when a serial differs at most in case, 'realm.unknown'
   */
  insert(token: NewToken, act: Act, origin?: SerialOrigin): Promise<Token>;
  /**
   * Changes a token and writes the audit row, in one transaction.
   * @returns the token as it is afterwards, undefined when it does not exist
   * @throws 'realm.unknown'
   */
  update(serial: string, change: TokenChange, act: Act, decide?: LockedDecision): Promise<Token | undefined>;
  /**
   * Changes tokens by their serials, all of them or none, each with its audit row.
   * @throws 'token.unknown' when one is gone
   */
  updateAll(changes: ReadonlyMap<string, TokenChange>, act: Act, decide?: LockedDecision): Promise<void>;
  /**
   * Removes tokens with their challenges, all or none.
   * @param assure throws to prevent the removal of a locked token
   * @throws 'token.unknown' when one is gone
   */
  removeAll(serials: readonly string[], act: Act, assure?: (token: Token) => void): Promise<void>;
}
