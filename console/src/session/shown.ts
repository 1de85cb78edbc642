import type { ValueOf } from '../api/call.ts';
import type { ServerFailure } from '../api/server-failure.ts';

type HeldRight = ValueOf<'/admin/rights'>['rights'][number];

/** The login of this browser. Its rights are for leaving out what would be refused: the server decides. */
export interface Session {
  readonly administrator: string;
  /** True for a person of single sign-on, who is no administrator of this server. */
  readonly isOfProvider: boolean;
  readonly rights: readonly HeldRight[];
  /** @param realm left out: in any realm */
  may(scope: HeldRight['scope'], action: string, realm?: string): boolean;
  /** True for a right that is not bound to realms, as what is in none takes it. */
  mayEverywhere(scope: HeldRight['scope'], action: string): boolean;
  /** @returns the names of the realms in which a right of the scope admin holds */
  realmsWith(action: string): readonly string[];
}

/** @returns the login of that name with these rights */
export function makeSession({ administrator, rights, realms }: ValueOf<'/admin/rights'>): Session {
  return {
    administrator,
    isOfProvider: administrator.startsWith('oidc:'),
    rights,
    realmsWith: (action) => {
      const held = rights.find((right) => right.scope === 'admin' && right.action === action)?.realms ?? [];
      return held === '*' ? realms : held;
    },
    may: (scope, action, realm) =>
      rights.some(
        (right) =>
          right.scope === scope &&
          right.action === action &&
          (right.realms === '*' ||
            (realm === undefined ? right.realms.length > 0 : right.realms.includes(realm))),
      ),
    mayEverywhere: (scope, action) =>
      rights.some((right) => right.scope === scope && right.action === action && right.realms === '*'),
  };
}

/** The known state of the login. `away`: the server does not answer. */
export type SessionState =
  | { readonly kind: 'unknown' | 'signed-out' }
  | { readonly kind: 'away'; readonly failure: ServerFailure }
  | { readonly kind: 'signed-in'; readonly session: Session };

/** The login, and whose pages there are. */
export interface Shown {
  readonly state: SessionState;
  /** The login of the open pages, or of those that are kept since it ended. Undefined: there are none. */
  readonly owner: Session | undefined;
  /** True if the pages may be seen. */
  readonly isOpen: boolean;
}

/** After a person has left. */
export const NOBODY_SHOWN: Shown = { state: { kind: 'signed-out' }, owner: undefined, isOpen: false };

/**
 * @returns the state that is shown after the login was read: pages that are closed stay so until their owner is back
 */
export function afterRead(before: Shown, read: SessionState): Shown {
  if (read.kind === 'signed-in') {
    return { state: read, owner: read.session, isOpen: true };
  }
  return { state: read, owner: before.owner, isOpen: read.kind === 'away' && before.isOpen };
}

/** @returns true if that administrator is signed in */
export function isOf({ owner, isOpen }: Shown, administrator: string): boolean {
  return isOpen && owner?.administrator === administrator;
}

/** @returns true if pages of one administrator end here, and those of another one may begin */
export function changesHands(before: Shown, after: Shown): boolean {
  return before.owner !== undefined && before.owner.administrator !== after.owner?.administrator;
}
