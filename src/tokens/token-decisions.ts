import { ServiceError } from '../kernel/errors.ts';
import type { Token, TokenChange } from './token.ts';

/**
 * @returns the change that switches the token on
 * @throws ServiceError 'token.state' while the roll-out has not given the token its key
 */
export function enabling(token: Pick<Token, 'serial' | 'rollout'>): TokenChange {
  if (token.rollout === 'phase1') {
    throw new ServiceError(
      'token.state',
      `The roll-out of the token '${token.serial}' is not finished: it cannot be enabled`,
    );
  }
  return { active: true };
}

/** Switches the token off. */
export const DISABLING: TokenChange = { active: false };
/** Sets the fail counter to 0, which unlocks the token. */
export const RESETTING: TokenChange = { failCount: 0 };
/** Takes the token from its user; it stays in its realms. */
export const UNASSIGNING: TokenChange = { owner: null };
