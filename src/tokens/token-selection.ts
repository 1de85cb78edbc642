import { ServiceError } from '../kernel/errors.ts';
import { isStorable } from '../kernel/text.ts';
import { type Configuration, type ResolverKind, visibleRealm } from '../configuration/configuration.ts';
import { boundsOf, type Grant } from '../policy/access-control.ts';
import type { UserDirectory, UserReference } from '../users/user-directory.ts';
import {
  type DescribedToken,
  isVisible,
  type Token,
  wholeWithin,
  isOwnedBy,
  unknownSerial,
} from './token.ts';
import type { OwnerId } from '../users/user.ts';

/**
 * A token by its serial, or all tokens of a user. With both, the token must be the user's. Nothing is a wildcard.
 * An absent serial or user is undefined; a blank user counts as absent.
 */
export interface TokenSelection extends Omit<UserReference, 'user'> {
  readonly serial?: string | undefined;
  readonly user?: string | undefined;
  /** The revision of the token that was read: where it has changed since then, nothing is done. Undefined: any. */
  readonly revision?: string | undefined;
}

/**
 * @returns the filter for the store; undefined where nothing can match
 * @throws ServiceError 'parameter.missing' for neither serial nor user, 'user.unknown', 'resolver.unavailable'
 */
export async function selectionFilter(
  configuration: Configuration,
  grant: Grant,
  selection: TokenSelection,
  users: UserDirectory,
): Promise<TokenFilter | undefined> {
  const { serial, user = '', realm, resolver } = selection;
  const isOfUser = user.trim() !== '';
  if (serial === undefined && !isOfUser) {
    throw new ServiceError('parameter.missing', "Missing parameter 'serial' or 'user'.", {
      parameters: ['serial', 'user'],
    });
  }
  const owner = isOfUser
    ? await users.resolve(configuration, { user, realm, resolver }, grant.realms)
    : undefined;
  return serial === undefined || isStorable(serial)
    ? { serial, owner: owner && { resolverId: owner.resolver.id, userId: owner.userId } }
    : undefined;
}

/** @returns true if the selection, read as this filter, holds the token and the grant covers it */
export function isSelected(token: Token, { owner }: TokenFilter, grant: Grant): boolean {
  return isVisible(token, grant) && (owner === undefined || isOwnedBy(token, owner));
}

/** @throws ServiceError 'token.unknown', always */
export function nothingSelected({ serial, user = '' }: TokenSelection): never {
  throw serial === undefined
    ? new ServiceError('token.unknown', `The user '${user.slice(0, 320)}' has no token`)
    : unknownSerial(serial);
}

/** Conditions on stored tokens; an absent one does not restrict. Nothing here is a wildcard. */
export interface TokenFilter {
  readonly serial?: string | undefined;
  /** The beginning of the serial. */
  readonly serialPrefix?: string | undefined;
  readonly owner?: OwnerId | undefined;
  /** A realm's name; null: tokens in no realm. */
  readonly realm?: string | null | undefined;
  /** Tokens in at least one of these realms; none of them means no token. */
  readonly inRealms?: readonly string[] | undefined;
  readonly active?: boolean | undefined;
  readonly assigned?: boolean | undefined;
  /** Lower-case. */
  readonly types?: readonly string[] | undefined;
  /** A text in serial, type, description or login, in any case; asterisks stand for any text. */
  readonly search?: string | undefined;
  /** Default: by serial. */
  readonly sort?: TokenSort | undefined;
  /** The serial after which the list begins; for lists by serial. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export interface TokenListing extends Pick<
  TokenFilter,
  'serial' | 'serialPrefix' | 'active' | 'assigned' | 'search' | 'sort' | 'limit' | 'offset'
> {
  /** The login of the owner, or `login@realm`. */
  readonly user?: string | undefined;
  /** The realm of that user; absent: the default one. */
  readonly userRealm?: string | undefined;
  /** The only resolver to ask for that user. */
  readonly userResolver?: string | undefined;
  /** A realm that the token is in; null: tokens in no realm. */
  readonly realm?: string | null | undefined;
  /** Realms of which the token is in at least one. */
  readonly realms?: readonly string[] | undefined;
}

export interface TokenSort {
  readonly by: TokenOrder;
  readonly descending: boolean;
}

/** The orders by their names in the interface, which are LinOTP's. */
export const TOKEN_ORDERS = {
  TokenSerialnumber: 'serial',
  TokenId: 'id',
  TokenType: 'type',
  TokenDesc: 'description',
  Isactive: 'active',
  username: 'login',
  Userid: 'userId',
  IdResolver: 'resolver',
  IdResClass: 'resolver',
  FailCount: 'failCount',
  MaxFail: 'maxFail',
  Count: 'counter',
  CountWindow: 'counterWindow',
  SyncWindow: 'syncWindow',
  CreationDate: 'created',
} as const;

export type TokenOrder = (typeof TOKEN_ORDERS)[keyof typeof TOKEN_ORDERS];

/**
 * @param requested.sortby a name of `TOKEN_ORDERS`, in any case, also with LinOTP's prefix `LinOtp.` or `User.`
 * @returns undefined where none is requested
 * @throws ServiceError 'parameter.invalid'
 */
export function readTokenSort({
  sortby = '',
  sortdir = '',
}: {
  readonly sortby?: string | undefined;
  readonly sortdir?: string | undefined;
}): TokenSort | undefined {
  const direction = sortdir.trim().toLowerCase();
  if (!['', 'asc', 'desc'].includes(direction)) {
    throw new ServiceError('parameter.invalid', "The parameter 'sortdir' is asc or desc", {
      parameter: 'sortdir',
    });
  }
  const name = sortby
    .trim()
    .toLowerCase()
    .replace(/^(linotp|user)\./, '');
  if (name === '' && direction !== 'desc') {
    return undefined;
  }
  const known = Object.entries(TOKEN_ORDERS).find(([one]) => one.toLowerCase() === name);
  if (name !== '' && known === undefined) {
    throw new ServiceError(
      'parameter.invalid',
      `Tokens are not sorted by that: the parameter 'sortby' is one of ${Object.keys(TOKEN_ORDERS).join(', ')}`,
      { parameter: 'sortby' },
    );
  }
  return { by: known?.[1] ?? 'serial', descending: direction === 'desc' };
}

export interface TokenPage {
  readonly tokens: readonly DescribedToken[];
  /** The number of tokens on all pages. */
  readonly total: number;
  /** From 1. */
  readonly page: number;
  /** The number of tokens that a page holds. */
  readonly pageSize: number;
  /** By the resolver's name. */
  readonly resolverKinds: ReadonlyMap<string, ResolverKind>;
}

export interface PageRequest {
  /** 1 to 1 000 000; absent: 1. */
  readonly page?: number | undefined;
  /** 1 to 1000; absent: all tokens, 1000 at most. */
  readonly pageSize?: number | undefined;
}

export const MAX_PAGE_SIZE = 1000;
const MAX_PAGE = 1_000_000;

/**
 * @returns the page, and the part of the listing that it holds
 * @throws ServiceError 'parameter.invalid'
 */
export function readPageRequest({ page = 1, pageSize }: PageRequest): {
  page: number;
  pageSize: number | undefined;
  limit: number;
  offset: number;
} {
  const limit = wholeWithin(pageSize ?? MAX_PAGE_SIZE, 'page size', MAX_PAGE_SIZE);
  return { page: wholeWithin(page, 'page', MAX_PAGE), pageSize, limit, offset: (page - 1) * limit };
}

/**
 * @returns the filter for the store, bounded to the realms of the grant; undefined where nothing can match
 * @throws ServiceError 'user.unknown', 'realm.unknown', 'parameter.invalid' for a limit or offset that is no whole number
 */
export async function readTokenListing(
  configuration: Configuration,
  grant: Grant,
  listing: TokenListing,
  users: UserDirectory,
): Promise<TokenFilter | undefined> {
  const { user, userRealm, userResolver, realm, realms, ...conditions } = listing;
  const { serial, limit, offset } = conditions;
  const isNobodysRealm = realm === null && grant.realms !== 'all';
  if ((serial !== undefined && !isStorable(serial)) || isNobodysRealm) {
    return undefined;
  }
  const owner =
    user === undefined
      ? undefined
      : await users.resolve(configuration, { user, realm: userRealm, resolver: userResolver }, grant.realms);
  return {
    ...conditions,
    owner: owner && { resolverId: owner.resolver.id, userId: owner.userId },
    realm: typeof realm === 'string' ? visibleRealm(configuration, grant, realm) : realm,
    inRealms: realms?.map((name) => visibleRealm(configuration, grant, name)) ?? boundsOf(grant),
    limit: wholeNumber(limit, 'limit'),
    offset: wholeNumber(offset, 'offset'),
  };
}

function wholeNumber(value: number | undefined, what: string): number | undefined {
  if (value !== undefined && (!Number.isSafeInteger(value) || value < 0)) {
    throw new ServiceError('parameter.invalid', `The ${what} must be a whole number, 0 or more`);
  }
  return value;
}
