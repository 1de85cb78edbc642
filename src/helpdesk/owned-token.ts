import { findRealm, type Configuration } from '../configuration/configuration.ts';
import type { Grant } from '../policy/access-control.ts';
import { type DescribedToken, describeToken, isLocked, type Token } from '../tokens/token.ts';

/** A token as the helpdesk sees it. */
export interface OwnedToken extends DescribedToken {
  readonly isLocked: boolean;
  /** True if an administrator signs in with it. */
  readonly isSecondFactor: boolean;
  /** A visible realm by which the owner is found; null: nobody owns it, or no visible realm has the owner's resolver. */
  readonly ownerRealm: string | null;
}

/** @returns the token without its secrets and without realms that the grant does not cover */
export function ownedToken(configuration: Configuration, grant: Grant, token: Token): OwnedToken {
  const { realms: allowed } = grant;
  const realms = token.realms.filter((name) => allowed === 'all' || allowed.includes(name));
  return {
    ...describeToken(token),
    realms,
    isLocked: isLocked(token),
    isSecondFactor: token.isSecondFactor,
    ownerRealm: token.owner === null ? null : realmOf(configuration, grant, token.owner.resolver, realms),
  };
}

/** @returns the visible realms that have the resolver: the default one first, the others by name */
export function realmsWith(
  configuration: Configuration,
  { realms: allowed }: Grant,
  resolver: string,
): readonly string[] {
  const usual = findRealm(configuration, '')?.name;
  const names = configuration.realms
    .filter(({ resolvers }) => resolvers.includes(resolver))
    .map(({ name }) => name)
    .filter((name) => allowed === 'all' || allowed.includes(name));
  return [...names.filter((name) => name === usual), ...names.filter((name) => name !== usual)];
}

/** @returns one of the token's own realms where that is possible */
function realmOf(
  configuration: Configuration,
  grant: Grant,
  resolver: string,
  tokenRealms: readonly string[],
): string | null {
  const names = realmsWith(configuration, grant, resolver);
  return names.find((name) => tokenRealms.includes(name)) ?? names[0] ?? null;
}
