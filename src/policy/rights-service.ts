import type { AccessControl, Grant, Right } from './access-control.ts';
import type { Caller } from './caller.ts';
import type { CurrentPolicies, PolicyBase } from './ports.ts';
import { knownActions } from './policy-actions.ts';

/** A right that a caller has now, and the realms in which it holds. */
export interface HeldRight extends Right, Grant {}

const SCOPES: readonly Right['scope'][] = ['admin', 'system', 'monitoring', 'ocra'];

interface RightsDependencies {
  readonly configuration: CurrentPolicies<PolicyBase>;
  readonly access: AccessControl;
}

/** Tells callers their own rights, so that a page can leave out what would be refused. */
export class RightsService {
  readonly #configuration: CurrentPolicies<PolicyBase>;
  readonly #access: AccessControl;

  constructor({ configuration, access }: RightsDependencies) {
    this.#configuration = configuration;
    this.#access = access;
  }

  /** @returns the rights that the caller has at this moment, from this address */
  async held(caller: Caller): Promise<readonly HeldRight[]> {
    const base = await this.#configuration.current();
    return SCOPES.flatMap((scope) =>
      knownActions(scope).flatMap((action) => {
        const grant = this.#access.grantOf(base, caller, { scope, action });
        return grant === undefined ? [] : [{ scope, action, realms: grant.realms }];
      }),
    );
  }
}
