import { ServiceError } from '../kernel/errors.ts';
import type { Grant } from '../policy/access-control.ts';
import { isSerial } from './serial.ts';
import type { TokenFilter } from './ports.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { visibleRealm } from './token-view.ts';
import type { UserDirectory } from '../users/user-directory.ts';

/** Which tokens to list; what is left out does not restrict. Nothing here is a wildcard. */
export interface TokenListing {
  readonly serial?: string | undefined;
  /** The login of the owner, or `login@realm`. */
  readonly user?: string | undefined;
  /** The realm of that user, where it is not the default one. */
  readonly userRealm?: string | undefined;
  /** The resolver of that user, where it alone is to be asked. */
  readonly userResolver?: string | undefined;
  /** A realm that the token is in; null: tokens in no realm. */
  readonly realm?: string | null | undefined;
  /** Realms of which the token is in at least one. */
  readonly realms?: readonly string[] | undefined;
  readonly active?: boolean | undefined;
  readonly assigned?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
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
  const { serial, user, realm, active, assigned } = listing;
  const isNobodysRealm = realm === null && grant.realms !== 'all';
  if ((serial !== undefined && !isSerial(serial)) || isNobodysRealm) {
    return undefined;
  }
  const owner =
    user === undefined
      ? undefined
      : await users.resolve(
          configuration,
          { user, realm: listing.userRealm, resolver: listing.userResolver },
          grant.realms,
        );
  return {
    serial,
    owner: owner && { resolverId: owner.resolver.id, userId: owner.userId },
    realm: typeof realm === 'string' ? visibleRealm(configuration, grant, realm) : realm,
    inRealms: readRealms(configuration, grant, listing.realms),
    active,
    assigned,
    limit: wholeNumber(listing.limit, 'limit'),
    offset: wholeNumber(listing.offset, 'offset'),
  };
}

function readRealms(
  configuration: Configuration,
  grant: Grant,
  realms: readonly string[] | undefined,
): readonly string[] | undefined {
  if (realms !== undefined) {
    return realms.map((name) => visibleRealm(configuration, grant, name));
  }
  return grant.realms === 'all' ? undefined : grant.realms;
}

function wholeNumber(value: number | undefined, what: string): number | undefined {
  if (value !== undefined && (!Number.isSafeInteger(value) || value < 0)) {
    throw new ServiceError('parameter.invalid', `The ${what} must be a whole number, 0 or more`);
  }
  return value;
}
