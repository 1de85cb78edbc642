import type { AccessControl, Grant, Right } from './access-control.ts';
import type { Caller } from './caller.ts';
import { allRights } from './granting.ts';
import type { PolicyBase } from './right-decision.ts';

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

interface RightsDependencies {
  readonly configuration: { current(): Promise<PolicyBase> };
  readonly access: AccessControl;
}

/** Refuses callers without a right, and tells them those that they have: a page leaves out what would be refused. */
export class RightsService {
  readonly #configuration: { current(): Promise<PolicyBase> };
  readonly #access: AccessControl;

  constructor({ configuration, access }: RightsDependencies) {
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
