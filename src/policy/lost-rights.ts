import { grantedActions } from './granted-actions.ts';
import type { Right } from './granting.ts';
import { ReadPolicy } from './read-policy.ts';
import { type Policy, RIGHT_SCOPES } from './stored-policy.ts';

/** Administrators who lose the same rights. */
interface LostRights {
  readonly administrators: readonly string[];
  /** `scope:action`; `scope:*` where nothing of the scope is left. */
  readonly rights: readonly string[];
}

/** The effect of a change of policies on the rights of administrators. */
export interface RightsChange {
  /** By the rights that are lost. */
  readonly lost: readonly LostRights[];
  /** Nobody may change policies over HTTP afterwards, and somebody may before. */
  readonly nobodyWrites: boolean;
}

/** Administrators that are examined; more are not named in a question. */
const MAX_ADMINISTRATORS = 500;

/**
 * Compares rights regardless of times and clients: a right that holds at some time and for some client is not lost.
 * @param names the administrators
 */
export function changeOfRights(
  before: readonly ReadPolicy[],
  after: readonly ReadPolicy[],
  names: readonly string[],
): RightsChange {
  const lost = new Map<string, string[]>();
  const scopes = changedScopes(before, after);
  for (const name of names.slice(0, MAX_ADMINISTRATORS)) {
    const rights = scopes
      .flatMap((scope) =>
        lostOf(scope, grantedActions(before, name, scope), grantedActions(after, name, scope)),
      )
      .join(', ');
    if (rights !== '') {
      lost.set(rights, [...(lost.get(rights) ?? []), name]);
    }
  }
  return {
    lost: [...lost].map(([rights, administrators]) => ({ administrators, rights: rights.split(', ') })),
    nobodyWrites: somebodyWrites(before, names) && !somebodyWrites(after, names),
  };
}

/** @returns the policies after one is stored, or removed */
export function policiesAfter(
  policies: readonly ReadPolicy[],
  change: { readonly stored: Policy } | { readonly removed: string },
): readonly ReadPolicy[] {
  return 'stored' in change
    ? [...policies.filter(({ name }) => name !== change.stored.name), new ReadPolicy(change.stored)]
    : policies.filter(({ name }) => name !== change.removed);
}

/** @returns true if an administrator may change policies over HTTP at some time */
export function somebodyWrites(policies: readonly ReadPolicy[], names: readonly string[]): boolean {
  return names.some((name) => grantedActions(policies, name, 'system').has('write'));
}

/** @returns the scopes of which a policy is new, changed or gone */
export function changedScopes(
  before: readonly ReadPolicy[],
  after: readonly ReadPolicy[],
): readonly Right['scope'][] {
  const changed = [
    ...before.filter((policy) => !after.includes(policy)),
    ...after.filter((policy) => !before.includes(policy)),
  ];
  return RIGHT_SCOPES.filter((scope) => changed.some((policy) => policy.scope === scope));
}

function lostOf(
  scope: Right['scope'],
  held: ReadonlySet<string>,
  kept: ReadonlySet<string>,
): readonly string[] {
  const lost = [...held].filter((action) => !kept.has(action));
  return lost.length > 1 && lost.length === held.size
    ? [`${scope}:*`]
    : lost.map((action) => `${scope}:${action}`);
}
