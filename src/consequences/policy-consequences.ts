import { z } from 'zod';
import type { Configuration } from '../configuration/configuration.ts';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import { listNames } from '../kernel/text.ts';
import type { Principal } from '../policy/caller.ts';
import {
  allRights,
  decideRight,
  type PolicyBase,
  type Right,
  grantedActions,
  somebodyWrites,
} from '../policy/granting.ts';
import type { PolicyFinding } from '../policy/policy.ts';
import type { ReadPolicy } from '../policy/read-policy.ts';
import { UNKNOWN_NAME } from '../policy/policy-names.ts';
import { type Consequence, consequence, CONSEQUENCES } from './consequence.ts';
import { RIGHT_SCOPES } from '../policy/stored-policy.ts';

/** Whether a policy is valid, and what would follow from storing it. */
export const PREVIEW = z.object({
  problems: z
    .array(
      z.object({
        field: z.string().meta({ column: 'FIELD' }),
        message: z.string().meta({ column: 'PROBLEM' }),
      }),
    )
    .describe('why the policy is invalid; the rest is then empty'),
  // They do not keep the policy from being stored.
  unknownNames: z.array(UNKNOWN_NAME).describe('realms and resolvers that do not exist'),
  consequences: CONSEQUENCES,
});

export interface PolicyPreview extends ReadonlyDeep<z.output<typeof PREVIEW>> {
  readonly problems: readonly PolicyFinding[];
}

/** Administrators who lose the same rights. */
interface LostRights {
  readonly administrators: readonly string[];
  /** `scope:action`; `scope:*` where nothing of the scope is left. */
  readonly rights: readonly string[];
}

/** The effect of a change of policies on the rights of administrators. */
interface RightsChange {
  /** By the rights that are lost. */
  readonly lost: readonly LostRights[];
  /** Nobody may change policies over HTTP afterwards, and somebody may before. */
  readonly nobodyWrites: boolean;
}

/**
 * @param after the policies that there would be
 * @param administrators their names
 */
export function changeConsequences(
  configuration: Configuration,
  after: readonly ReadPolicy[],
  {
    administrators,
    principal,
    at,
  }: {
    readonly administrators: readonly string[];
    readonly principal: Principal;
    readonly at: Date;
  },
): readonly Consequence[] {
  const { lost, nobodyWrites } = changeOfRights(configuration.policies, after, administrators);
  return [
    ...consequence(
      nobodyWrites,
      'policy.lock-out',
      'no administrator can change policies over HTTP afterwards: only `tankeeper policy` on this machine can',
    ),
    ...lost.map(({ administrators: names, rights }) => ({
      code: 'policy.rights',
      text: `${listNames(names)} ${names.length === 1 ? 'loses' : 'lose'} ${listNames(rights)}`,
      names,
      rights,
    })),
    ...ownConsequences(configuration, after, principal, at),
  ];
}

/**
 * Compares the rights of the caller here and now: a policy that ends at another address or time locks its editor out, too.
 * @param after the policies that there would be
 * @returns the rights that the caller loses, and those that hold in fewer realms
 */
function ownConsequences(
  base: PolicyBase,
  after: readonly ReadPolicy[],
  principal: Principal,
  at: Date,
): readonly Consequence[] {
  const lost: string[] = [];
  const narrowed: string[] = [];
  const scopes = changedScopes(base.policies, after);
  for (const right of allRights().filter(({ scope }) => scopes.includes(scope))) {
    const was = decideRight(base, principal, right, at);
    const is = decideRight({ ...base, policies: after }, principal, right, at);
    if (was.allowed && !is.allowed) {
      lost.push(`${right.scope}:${right.action}`);
    } else if (was.allowed && is.allowed && isNarrower(was.realms, is.realms)) {
      narrowed.push(`${right.scope}:${right.action}`);
    }
  }
  return [
    ...consequence(
      lost.length > 0,
      'policy.own',
      `you lose ${listNames(lost)}, at least from this address and at this time`,
      { rights: lost },
    ),
    ...consequence(
      narrowed.length > 0,
      'policy.own-realms',
      `you have ${listNames(narrowed)} in fewer realms`,
      {
        rights: narrowed,
      },
    ),
  ];
}

function isNarrower(was: 'all' | readonly string[], is: 'all' | readonly string[]): boolean {
  return is !== 'all' && (was === 'all' || was.some((realm) => !is.includes(realm)));
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

/** @returns the scopes of which a policy is new, changed or gone */
function changedScopes(
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
