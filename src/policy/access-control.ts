import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { covers, lackingRight } from './api-token-rights.ts';
import type { Caller } from './caller.ts';
import { grantingPolicies, type Right } from './granting.ts';
import { policyHolds, policyRealms } from './policy.ts';
import type { Policy, PolicyScope } from './stored-policy.ts';
import type { CurrentPolicies, PolicyBase } from './ports.ts';

export type { Right } from './granting.ts';

/** The extent of a right that was granted. */
export interface Grant {
  /** Names of the existing realms that the policies allow, sorted; `all` includes tokens without a realm. */
  readonly realms: 'all' | readonly string[];
}

/** Scopes whose policies allow their action in the realms that they name. */
const BOUND_BY_REALMS: readonly PolicyScope[] = ['monitoring', 'admin'];

/** Decides on rights and the realms in which they hold. */
export class AccessControl {
  readonly #clock: Clock;

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  /**
   * Authorizes by both the caller's credential (an API token may be limited) and the policies. Operators at the machine
   * itself have every right.
   * @throws ServiceError 'right.missing': with the policy that would give the right, or, if the API token lacks it and
   *   no policy would help, without
   */
  authorize(base: PolicyBase, caller: Caller, right: Right): Grant {
    const { principal } = caller;
    if (principal.operator) {
      return { realms: 'all' };
    }
    const wanted = `${right.scope}:${right.action}`;
    if (!principal.rights.some((held) => covers(held, wanted))) {
      throw lackingRight(wanted);
    }
    const policies = grantingPolicies(base.policies, principal, right);
    if (policies === 'open') {
      return { realms: 'all' };
    }
    const at = this.#clock.now();
    const granting = policies.filter((policy) => policyHolds(policy, principal.client, at));
    if (granting.length === 0) {
      throw new ServiceError('right.missing', `No policy gives the right ${wanted}`, {
        policy: { scope: right.scope, action: right.action },
      });
    }
    return { realms: BOUND_BY_REALMS.includes(right.scope) ? unionOfRealms(base, granting) : 'all' };
  }

  /**
   * Authorizes an action of the scope admin by the current configuration.
   * @returns that configuration, and the grant. @throws ServiceError 'right.missing'
   */
  async authorizeAdmin<Base extends PolicyBase>(
    store: CurrentPolicies<Base>,
    caller: Caller,
    action: string,
  ): Promise<{ configuration: Base; grant: Grant }> {
    const configuration = await store.current();
    return {
      configuration,
      grant: this.authorize(configuration, caller, { scope: 'admin', action }),
    };
  }

  /**
   * Authorizes reading or writing in the scope system by the current configuration.
   * @returns that configuration. @throws ServiceError 'right.missing'
   */
  async authorizeSystem<Base extends PolicyBase>(
    store: CurrentPolicies<Base>,
    caller: Caller,
    action: 'read' | 'write',
  ): Promise<Base> {
    const configuration = await store.current();
    this.authorize(configuration, caller, { scope: 'system', action });
    return configuration;
  }
}

function unionOfRealms(base: PolicyBase, policies: readonly Policy[]): 'all' | readonly string[] {
  const bounds = policies.map(policyRealms);
  if (bounds.includes('all')) {
    return 'all';
  }
  const allowed = new Set(bounds.flat());
  return base.realms.map(({ name }) => name).filter((name) => allowed.has(name));
}
