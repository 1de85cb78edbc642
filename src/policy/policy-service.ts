import { ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { splitList } from '../kernel/text.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import { actOf, type Caller } from './caller.ts';
import {
  checkForeignPolicy,
  checkPolicy,
  keepClientPolicy,
  type KeptPolicy,
  type PolicyDraft,
} from './policy.ts';
import { readPolicyFile } from './policy-file.ts';
import { type PolicyBase, policiesAfter, somebodyWrites } from './granting.ts';
import type { ReadPolicy } from './read-policy.ts';
import type { Policy } from './stored-policy.ts';
import { listUnknownNames, unknownNames, type UnknownPolicyName } from './policy-names.ts';

/** Characters of names in the log and in an audit row. */
const MAX_REMARK = 500;
/** Policies of a file on which an answer has remarks. */
const MAX_NOTES = 20;

/** Conditions on the policies to list; an absent or empty one does not restrict. */
interface PolicyFilter {
  readonly name?: string | undefined;
  readonly scope?: string | undefined;
  readonly action?: string | undefined;
  /** Selects the policies that apply in that realm, with those for all realms. */
  readonly realm?: string | undefined;
  /** Selects the policies whose list of users holds exactly this entry. */
  readonly user?: string | undefined;
}

/** The policies. */
export class PolicyService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: ConfigurationStore;
    /** Names the administrators, for a warning about those who lose rights; by default none. */
    readonly administrators?: { list(): Promise<readonly { readonly name: string }[]> };
    /** By default nothing is logged. */
    readonly log?: Pick<Log, 'warn'>;
  }) {
    this.#deps = dependencies;
  }

  /** @returns policies by name */
  async list(filter: PolicyFilter = {}): Promise<readonly Policy[]> {
    const { policies } = await this.#deps.configuration.current();
    return policies.filter((policy) => fits(policy, filter));
  }

  /** @throws ServiceError 'policy.unknown' */
  async show(name: string): Promise<Policy> {
    const { policies } = await this.#deps.configuration.current();
    const policy = policies.find((one) => one.name === name.trim());
    if (policy === undefined) {
      throw unknownPolicy(name);
    }
    return policy;
  }

  /**
   * Creates a policy or replaces the one of that name. Actions that only LinOTP has are kept without effect beside known
   * ones, where the policy does not become wider so: old clients store their policies whole. The operator is refused.
   * @param expected the policy that the caller has read; null: there was none; undefined: any is replaced
   * @returns the policy as it is stored, and remarks on it
   * @throws ServiceError 'policy.invalid' with the reason and the known values, 'policy.changed' where another
   *   administrator has changed it meanwhile
   */
  async set(
    caller: Caller,
    draft: PolicyDraft,
    expected?: Policy | null,
  ): Promise<{ readonly policy: Policy; readonly notes: readonly string[] }> {
    const base = await this.#deps.configuration.current();
    const { policy, withoutEffect } = checkedFor(caller, draft);
    const unknown = unknownNames(policy, base);
    await this.#warnOfLockOut(caller, base.policies, [{ stored: policy }]);
    const notes = withoutEffect.length === 0 ? [] : [remarkOf(withoutEffect)];
    const outcome = ['stored', ...notes].join(', ');
    await this.#deps.configuration.putPolicy(policy, actOf(caller, 'policy/set'), expected, outcome);
    if (notes.length > 0) {
      this.#deps.log?.warn(`The policy ${policy.name} is ${outcome}`);
    }
    // Old clients store policies before the realms in them. The operator has been asked.
    if (unknown.length > 0 && !caller.principal.operator) {
      this.#deps.log?.warn(
        `The policy ${policy.name} names what does not exist: ${listUnknownNames(unknown)}`,
      );
    }
    return { policy, notes };
  }

  /**
   * Stores a policy as `set` does, for a client that may know LinOTP alone: what has no effect here is kept inactive, as in
   * an import, unless an active policy would be replaced by it.
   */
  async keep(caller: Caller, draft: PolicyDraft): ReturnType<PolicyService['set']> {
    const kept = caller.principal.operator ? undefined : keepClientPolicy(draft);
    if (kept === undefined) {
      return this.set(caller, draft);
    }
    const { policy } = kept;
    const { policies } = await this.#deps.configuration.current();
    await this.#warnOfLockOut(caller, policies, [{ stored: policy }]);
    const notes = notesOf(kept);
    const outcome = ['stored', ...notes].join(', ');
    await this.#deps.configuration.putPolicies([{ ...kept, outcome }], actOf(caller, 'policy/set'));
    this.#deps.log?.warn(`The policy ${policy.name} is ${outcome}`);
    return { policy, notes };
  }

  /**
   * @returns the realms and resolvers in the policy that do not exist
   * @throws ServiceError 'policy.invalid' with the reason and the known values
   */
  async unknownNames(draft: PolicyDraft): Promise<readonly UnknownPolicyName[]> {
    return unknownNames(checkPolicy(draft), await this.#deps.configuration.current());
  }

  /**
   * @param expected the policy that the caller has read; undefined: any is removed
   * @throws ServiceError 'policy.unknown', 'policy.changed'
   */
  async remove(caller: Caller, name: string, expected?: Policy): Promise<void> {
    const { policies } = await this.#deps.configuration.current();
    await this.#warnOfLockOut(caller, policies, [{ removed: name.trim() }]);
    const act = actOf(caller, 'policy/remove');
    if (!(await this.#deps.configuration.removePolicy(name.trim(), act, expected))) {
      throw unknownPolicy(name);
    }
  }

  /**
   * Creates or replaces the policies of a file, all or none; others stay. As in an import from LinOTP, unknown actions
   * are without effect, and a policy that the server does not understand is inactive; an active one is never replaced by
   * such a one.
   * @returns how many there are, and remarks on some
   * @throws ServiceError 'policy.invalid' that names the line or the policy
   */
  async importFile(
    caller: Caller,
    text: string,
  ): Promise<{ readonly stored: number; readonly notes: readonly string[] }> {
    const kept = readPolicyFile(text);
    const base = await this.#deps.configuration.current();
    const lockOut = await this.#warnOfLockOut(
      caller,
      base.policies,
      kept.map(({ policy }) => ({ stored: policy })),
    );
    const entries = kept.map((one) => {
      const notes = notesOf(one);
      return { ...one, outcome: ['imported', ...notes].join(', ') };
    });
    await this.#deps.configuration.putPolicies(entries, actOf(caller, 'policy/set'));
    const notes = importNotes(kept, base);
    if (notes.length > 0) {
      this.#deps.log?.warn(`Policies are imported with remarks: ${notes.join('. ')}`);
    }
    return { stored: kept.length, notes: [...lockOut, ...notes] };
  }

  /**
   * Old clients expect a policy to be stored in any case. The operator has been asked.
   * @returns the warning, if there is one
   */
  async #warnOfLockOut(
    { principal }: Caller,
    policies: readonly ReadPolicy[],
    changes: readonly ({ readonly stored: Policy } | { readonly removed: string })[],
  ): Promise<readonly string[]> {
    const { administrators, log } = this.#deps;
    if (principal.operator || administrators === undefined || log === undefined) {
      return [];
    }
    const names = (await administrators.list()).map(({ name }) => name);
    const after = changes.reduce(policiesAfter, policies);
    if (!somebodyWrites(policies, names) || somebodyWrites(after, names)) {
      return [];
    }
    const changed = changes.map((change) => ('stored' in change ? change.stored.name : change.removed));
    const warning =
      `The change of the policy ${changed.join(', ').slice(0, MAX_REMARK)} by ${principal.administrator} leaves no administrator with the right ` +
      'system:write: only `tankeeper policy` on the machine of the server can change policies from now on';
    log.warn(warning);
    return [warning];
  }
}

function checkedFor(
  { principal }: Caller,
  draft: PolicyDraft,
): { readonly policy: Policy; readonly withoutEffect: readonly string[] } {
  const { policy, actions } = checkForeignPolicy(draft);
  return principal.operator || actions.known.size === 0
    ? { policy: checkPolicy(draft), withoutEffect: [] }
    : { policy, withoutEffect: actions.unknown.map((name) => name.slice(0, 64)) };
}

function remarkOf(withoutEffect: readonly string[]): string {
  return `unknown actions are without effect: ${withoutEffect.join(', ').slice(0, MAX_REMARK)}`;
}

/** @returns what of an imported policy has no effect */
function notesOf({ withoutEffect, fault }: KeptPolicy): readonly string[] {
  return [
    ...(withoutEffect.length > 0 ? [remarkOf(withoutEffect)] : []),
    ...(fault === undefined ? [] : [`inactive: ${fault.slice(0, MAX_REMARK)}`]),
  ];
}

/** @returns remarks on the first policies that need one; further ones are not examined, as that takes time */
function importNotes(kept: readonly KeptPolicy[], base: PolicyBase): readonly string[] {
  const notes: string[] = [];
  for (const one of kept) {
    const unknown = listUnknownNames(unknownNames(one.policy, base));
    const missing = unknown === '' ? [] : [`names what does not exist: ${unknown.slice(0, MAX_REMARK)}`];
    const all = [...notesOf(one), ...missing].join(', ');
    if (all !== '' && notes.length === MAX_NOTES) {
      return [...notes, 'There are more: the audit names what is without effect or inactive'];
    }
    if (all !== '') {
      notes.push(`The policy ${one.policy.name}: ${all}`);
    }
  }
  return notes;
}

function fits(policy: ReadPolicy, { name, scope, action, realm, user }: PolicyFilter): boolean {
  const tests: readonly [string | undefined, (requested: string) => boolean][] = [
    [name, (requested) => policy.name === requested],
    [scope, (requested) => policy.scope === requested],
    [
      action,
      (requested) => splitList(policy.action).some((one) => one.replace(/=.*$/s, '').trim() === requested),
    ],
    [realm, (requested) => policy.covers([requested.toLowerCase()])],
    [user, (requested) => splitList(policy.user).includes(requested)],
  ];
  return tests.every(([requested = '', test]) => requested.trim() === '' || test(requested.trim()));
}

/** @returns the error for an unknown name */
export function unknownPolicy(name: string): ServiceError {
  const shortened = name.slice(0, 128);
  return new ServiceError('policy.unknown', `There is no policy '${shortened}'`, { name: shortened });
}
