import { ServiceError } from '../kernel/errors.ts';
import type { Grant } from '../policy/access-control.ts';
import { findRealm, type Configuration } from '../configuration/configuration.ts';
import type { Token } from './token.ts';

/** A token without its secrets, as administrators see it. */
export type DescribedToken = Omit<Token, 'secrets' | 'replayMarkers' | 'syncMarker'>;

/**
 * Names each field that may be shown, so that nothing that is added to a token later shows by itself.
 * @returns the token without anything that must not be shown, not even sealed
 */
export function describeToken(token: Token): DescribedToken {
  return {
    id: token.id,
    serial: token.serial,
    type: token.type,
    description: token.description,
    owner: token.owner,
    realms: token.realms,
    active: token.active,
    failCount: token.failCount,
    maxFail: token.maxFail,
    counter: token.counter,
    counterWindow: token.counterWindow,
    syncWindow: token.syncWindow,
    timeShift: token.timeShift,
    ocraSuite: token.ocraSuite,
    rollout: token.rollout,
    createdAt: token.createdAt,
    lastSuccessAt: token.lastSuccessAt,
  };
}

/** @returns whether a grant covers the token: one of its realms is granted; what is in no realm is nobody's but all's */
export function isVisible(token: Pick<Token, 'realms'>, { realms: allowed }: Grant): boolean {
  return allowed === 'all' || token.realms.some((name) => allowed.includes(name));
}

/** @returns the realms of the token that a grant does not cover: whoever has the grant leaves the token in them */
export function foreignRealms(
  { realms }: Pick<Token, 'realms'>,
  { realms: allowed }: Grant,
): readonly string[] {
  return allowed === 'all' ? [] : realms.filter((name) => !allowed.includes(name));
}

/**
 * @returns the name of a realm as it is kept
 * @throws ServiceError 'realm.unknown' when it is not there, or not to be seen, which is answered alike
 */
export function visibleRealm(configuration: Configuration, { realms: allowed }: Grant, name: string): string {
  const realm = name.trim() === '' ? undefined : findRealm(configuration, name);
  if (realm === undefined || (allowed !== 'all' && !allowed.includes(realm.name))) {
    throw new ServiceError('realm.unknown', `There is no realm '${name.slice(0, 255)}'`);
  }
  return realm.name;
}
