/** The reason why a token accepts no responses; `ready`: nothing. */
export type TokenState = 'ready' | 'locked' | 'disabled' | 'phase1' | 'phase2';

interface Switches {
  readonly active: boolean;
  readonly locked: boolean;
  readonly rollout: 'phase1' | 'phase2' | 'complete';
}

/** The rights of a session, as /admin/rights answers them. */
interface Rights {
  readonly rights: readonly {
    readonly scope: string;
    readonly action: string;
    readonly realms: '*' | readonly string[];
  }[];
}

/** @returns the first reason why a response would be refused, as the helpdesk has to mend it */
export function stateOf({ active, locked, rollout }: Switches): TokenState {
  if (rollout === 'phase1') {
    return 'phase1';
  }
  if (!active) {
    return 'disabled';
  }
  if (locked) {
    return 'locked';
  }
  return rollout === 'phase2' ? 'phase2' : 'ready';
}

/**
 * @returns true if a right of the scope admin holds in one of the token's realms; without realms it must hold
 *   everywhere
 */
export function mayOnToken(
  { rights }: Rights,
  requested: string,
  { realms: ofToken }: { readonly realms: readonly string[] },
): boolean {
  return rights.some(
    ({ scope, action, realms }) =>
      scope === 'admin' &&
      action === requested &&
      (realms === '*' || ofToken.some((realm) => realms.includes(realm))),
  );
}
