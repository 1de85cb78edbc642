import type { Grant } from '../policy/access-control.ts';
import type { Token } from './token.ts';

/** A token without its secrets. */
export interface DescribedToken extends Omit<
  Token,
  'version' | 'secrets' | 'replayMarkers' | 'syncMarker' | 'isSecondFactor'
> {
  /** True if there is a token PIN. */
  readonly hasPin: boolean;
}

/**
 * Lists each public field, so that a field that is added to tokens later stays private.
 * @returns the token without its secrets, not even sealed
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
    hasPin: token.secrets.pin !== null,
    use: token.use,
    createdAt: token.createdAt,
    lastSuccessAt: token.lastSuccessAt,
  };
}

/** @returns true if one of the token's realms is granted; a token in no realm needs a grant for all */
export function isVisible(token: Pick<Token, 'realms'>, { realms: allowed }: Grant): boolean {
  return allowed === 'all' || token.realms.some((name) => allowed.includes(name));
}

/**
 * Portals ask tokens in no realm, too, under policies that name realms, as recorded of LinOTP 2.12.6.
 * @returns true if a grant of the scope ocra covers the token: one of its realms is granted, or it has none
 */
export function isCovered(token: Pick<Token, 'realms'>, grant: Grant): boolean {
  return token.realms.length === 0 || isVisible(token, grant);
}

/** @returns the realms of the token that a grant does not cover, and that it must not change */
export function foreignRealms(
  { realms }: Pick<Token, 'realms'>,
  { realms: allowed }: Grant,
): readonly string[] {
  return allowed === 'all' ? [] : realms.filter((name) => !allowed.includes(name));
}
