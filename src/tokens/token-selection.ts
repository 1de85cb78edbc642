import { ServiceError } from '../kernel/errors.ts';
import { isStorable } from '../kernel/text.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Grant } from '../policy/access-control.ts';
import type { UserDirectory, UserReference } from '../users/user-directory.ts';
import type { TokenFilter } from './token-listing.ts';
import type { Token } from './token.ts';
import { isVisible } from './token-view.ts';

/**
 * A token by its serial, or all tokens of a user. With both, the token must be the user's. Nothing is a wildcard.
 * An absent serial or user is undefined; a blank user counts as absent.
 */
export interface TokenSelection extends Omit<UserReference, 'user'> {
  readonly serial?: string | undefined;
  readonly user?: string | undefined;
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
  return (
    isVisible(token, grant) &&
    (owner === undefined ||
      (token.owner?.resolverId === owner.resolverId && token.owner.userId === owner.userId))
  );
}

/** @throws ServiceError 'token.unknown', always */
export function nothingSelected({ serial, user = '' }: TokenSelection): never {
  throw new ServiceError(
    'token.unknown',
    serial === undefined
      ? `The user '${user.slice(0, 320)}' has no token`
      : `No token found with the serial '${serial.slice(0, 64)}'`,
  );
}
