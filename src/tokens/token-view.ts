import { findRealm, type Configuration } from '../configuration/configuration.ts';
import { type Grant, holdsIn } from '../policy/access-control.ts';
import {
  conditionOf,
  type DescribedToken,
  describeToken,
  isLocked,
  type Token,
  type TokenCondition,
} from './token.ts';

/** A token as those see it who administer it: without secrets, and without realms that they may not see. */
export interface TokenView extends DescribedToken {
  readonly state: TokenCondition;
  readonly isLocked: boolean;
  /** True if an administrator signs in with it. */
  readonly isSecondFactor: boolean;
  /** A visible realm by which the owner is found; null: nobody owns it, or no visible realm has the owner's resolver. */
  readonly ownerRealm: string | null;
}

/** The configuration and the extent of `admin:show` by which a token is viewed, and the time. */
interface Viewing {
  readonly configuration: Configuration;
  readonly grant: Grant;
  readonly now: Date;
}

export function viewOf(token: Token, { configuration, grant, now }: Viewing): TokenView {
  const realms = token.realms.filter((name) => holdsIn(grant, name));
  return {
    ...describeToken(token),
    realms,
    state: conditionOf(token, now),
    isLocked: isLocked(token),
    isSecondFactor: token.isSecondFactor,
    ownerRealm: token.owner === null ? null : realmOf(configuration, grant, token.owner.resolver, realms),
  };
}

/** @returns the visible realms that have the resolver: the default one first, the others by name */
export function realmsWith(configuration: Configuration, grant: Grant, resolver: string): readonly string[] {
  const usual = findRealm(configuration, '')?.name;
  const names = configuration.realms
    .filter(({ resolvers }) => resolvers.includes(resolver))
    .map(({ name }) => name)
    .filter((name) => holdsIn(grant, name));
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
