import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { lackingRight } from './api-token-rights.ts';
import type { Caller } from './caller.ts';
import { decideRight, type PolicyBase, allRights, type Right } from './granting.ts';

/** The extent of a right that was granted. */
export interface Grant {
  /** Names of the existing realms that the policies allow, sorted; `all` includes tokens without a realm. */
  readonly realms: 'all' | readonly string[];
}

/** @returns true if the grant holds in a realm */
export function holdsIn({ realms }: Grant, realm: string): boolean {
  return realms === 'all' || realms.includes(realm);
}

/** @returns the realms to which the grant is bound; undefined: to none */
export function boundsOf({ realms }: Grant): readonly string[] | undefined {
  return realms === 'all' ? undefined : realms;
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

/** A right that a caller has now, and the realms in which it holds. */
interface HeldRight extends Right, Grant {}

/** A right by its name. */
export type RightName = `${Right['scope']}:${string}`;

/** The rights that are needed, all of them; of a list one suffices. */
export type RequiredRights = readonly (RightName | readonly RightName[])[];

/** The present rights of a caller. */
interface Held {
  readonly rights: readonly HeldRight[];
  /** The realms in which a right of the scope admin holds, sorted. */
  readonly realms: readonly string[];
}

/** Refuses callers without a right, and tells them those that they have: a page leaves out what would be refused. */
export class RightsService {
  readonly #configuration: { current(): Promise<PolicyBase> };
  readonly #access: AccessControl;

  constructor({
    configuration,
    access,
  }: {
    readonly configuration: { current(): Promise<PolicyBase> };
    readonly access: AccessControl;
  }) {
    this.#configuration = configuration;
    this.#access = access;
  }

  /** @throws ServiceError 'right.missing' for the first one that the caller lacks */
  async require(caller: Caller, required: RequiredRights): Promise<void> {
    if (required.length === 0) {
      return;
    }
    const base = await this.#configuration.current();
    for (const right of required) {
      const choices = [right].flat().map(rightOf);
      const [first] = choices;
      if (
        first !== undefined &&
        !choices.some((one) => this.#access.grantOf(base, caller, one) !== undefined)
      ) {
        this.#access.authorize(base, caller, first);
      }
    }
  }

  /** @returns the rights that the caller has at this moment, from this address */
  async held(caller: Caller): Promise<Held> {
    const base = await this.#configuration.current();
    const rights = allRights().flatMap((right) => {
      const grant = this.#access.grantOf(base, caller, right);
      return grant === undefined ? [] : [{ ...right, realms: grant.realms }];
    });
    const admin = rights.filter(({ scope }) => scope === 'admin').map(({ realms }) => realms);
    const bound = new Set(admin.flatMap((realms) => (realms === 'all' ? [] : realms)));
    const realms = base.realms
      .map(({ name }) => name)
      .filter((name) => admin.includes('all') || bound.has(name));
    return { rights, realms };
  }
}

function rightOf(name: RightName): Right {
  const [scope, action = ''] = name.split(':') as [Right['scope'], string?];
  return { scope, action };
}
