import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { lackingRight } from './api-token-rights.ts';
import type { Caller } from './caller.ts';
import { decideRight, type PolicyBase } from './right-decision.ts';
import type { Right } from './granting.ts';

export type { Right } from './granting.ts';

/** The extent of a right that was granted. */
export interface Grant {
  /** Names of the existing realms that the policies allow, sorted; `all` includes tokens without a realm. */
  readonly realms: 'all' | readonly string[];
}

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
    const decision = decideRight(base, caller.principal, right, this.#clock.now());
    if (decision.allowed) {
      return { realms: decision.realms };
    }
    const { scope, action } = right;
    throw decision.lack === 'api-token'
      ? lackingRight(`${scope}:${action}`)
      : new ServiceError('right.missing', `No policy gives the right ${scope}:${action}`, {
          policy: { scope, action },
        });
  }

  /** @returns the grant as `authorize`; undefined without the right */
  grantOf(base: PolicyBase, caller: Caller, right: Right): Grant | undefined {
    const decision = decideRight(base, caller.principal, right, this.#clock.now());
    return decision.allowed ? { realms: decision.realms } : undefined;
  }

  /**
   * Authorizes an action of the scope admin by the current configuration.
   * @returns that configuration, and the grant
   * @throws ServiceError 'right.missing'
   */
  async authorizeAdmin<Base extends PolicyBase>(
    store: { current(): Promise<Base> },
    caller: Caller,
    action: string,
  ): Promise<{ configuration: Base; grant: Grant }> {
    const configuration = await store.current();
    return {
      configuration,
      grant: this.authorize(configuration, caller, { scope: 'admin', action }),
    };
  }
}
