import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { covers, lackingRight } from './api-token-rights.ts';
import type { Caller } from './caller.ts';
import { policyHolds, policyMeans, policyRealms } from './policy.ts';
import type { PolicySubject } from './policy-users.ts';
import type { Policy, PolicyScope } from './stored-policy.ts';
import type { PolicyBase } from './ports.ts';

/** The extent of a right that was granted. */
export interface Grant {
  /** Names of the existing realms that the policies allow, sorted; `all` includes tokens without a realm. */
  readonly realms: 'all' | readonly string[];
}

/** A right that an operation needs. */
export interface Right {
  /** The scope; policies of the scope authentication give values, not rights. */
  readonly scope: Exclude<PolicyScope, 'authentication'>;
  readonly action: string;
}

/** Reads the configuration, or the part of it that decides on rights. */
interface CurrentPolicies<Base extends PolicyBase> {
  current(): Promise<Base>;
}

/** The realm and resolver of LinOTP 3's administrators, which its policies name. */
const ADMINISTRATORS = { realms: ['linotp_admins'], resolver: 'LinOTP_local_admins' } as const;
/** Scopes whose rights every administrator has while no policy of the scope is active. */
const OPEN_WITHOUT_POLICIES: readonly PolicyScope[] = ['monitoring', 'admin', 'system'];
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
    const active = base.policies.filter(({ scope, active }) => active && scope === right.scope);
    if (active.length === 0 && OPEN_WITHOUT_POLICIES.includes(right.scope)) {
      return { realms: 'all' };
    }
    const subject: PolicySubject = { login: principal.administrator, ...ADMINISTRATORS };
    const at = this.#clock.now();
    const granting = mostSpecific(active, (policy) => policyMeans(policy, right.action, subject)).filter(
      (policy) => policyHolds(policy, principal.client, at),
    );
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

/**
 * For one action, policies that name the user take precedence over those for everybody, as recorded of LinOTP 3.4.4: a
 * policy for everybody does not widen a narrower one. That also holds outside the time and clients of the narrower
 * policy; otherwise rights would widen by the clock.
 */
function mostSpecific(
  policies: readonly Policy[],
  match: (policy: Policy) => 'everybody' | 'named' | 'nobody',
): readonly Policy[] {
  const matched = policies.map((policy) => ({ policy, how: match(policy) }));
  const named = matched.filter(({ how }) => how === 'named');
  const chosen = named.length > 0 ? named : matched.filter(({ how }) => how === 'everybody');
  return chosen.map(({ policy }) => policy);
}

function unionOfRealms(base: PolicyBase, policies: readonly Policy[]): 'all' | readonly string[] {
  const bounds = policies.map(policyRealms);
  if (bounds.includes('all')) {
    return 'all';
  }
  const allowed = new Set(bounds.flat());
  return base.realms.map(({ name }) => name).filter((name) => allowed.has(name));
}
