import type { Act, Caller } from './caller.ts';
import type { Right } from './granting.ts';
import type { ReadPolicy } from './read-policy.ts';
import type { Policy } from './stored-policy.ts';

/** The part of the configuration that decides on rights, as of one revision. */
export interface PolicyBase {
  /** Sorted by name. */
  readonly policies: readonly ReadPolicy[];
  /** All realms, sorted by name. */
  readonly realms: readonly { readonly name: string }[];
  /** All resolvers, sorted by name. */
  readonly resolvers: readonly { readonly name: string }[];
}

/** The policies as they are stored. Every change is one transaction with its audit row. */
export interface PolicyStore {
  current(): Promise<PolicyBase>;
  /**
   * Creates or replaces a policy of that name.
   * @param expected the policy that is replaced; null: there is none; undefined: any
   * @throws ServiceError 'policy.changed' where the stored one is another
   */
  putPolicy(policy: Policy, act: Act, expected?: Policy | null): Promise<void>;
  /**
   * @param expected as for `putPolicy`
   * @returns true if it existed
   * @throws ServiceError 'policy.changed'
   */
  removePolicy(name: string, act: Act, expected?: Policy): Promise<boolean>;
}

/** A request that was refused for want of a right. */
export interface RefusedRight {
  readonly requestId: string;
  /** The administrator, or `oidc:NAME`. */
  readonly administrator: string;
  /** The endpoint: `admin/init`. */
  readonly endpoint: string;
  /** Undefined: the audit does not name it. */
  readonly right: Right | undefined;
  /** True if the API token lacked the right, whatever the policies say. */
  readonly isByApiToken: boolean;
  /** The address. */
  readonly client: string;
  /** The realm that the request named; empty where it named none. */
  readonly realm: string;
  readonly at: Date;
}

/** A change of a policy. */
export interface PolicyChange {
  readonly policy: string;
  readonly kind: 'set' | 'removed';
  readonly administrator: string;
  readonly at: Date;
}

/** Finds refusals and changes of policies in the audit. */
export interface RefusedRights {
  /** Begins the searches of one explanation. */
  begin(caller: Caller): RefusalReading;
}

/**
 * The searches of one explanation, which together read a bounded part of the audit. Each method throws ServiceError
 * 'right.missing', and 'parameter.invalid' at that bound.
 */
export interface RefusalReading {
  /** @returns undefined where there is none that the caller may see */
  find(requestId: string): Promise<RefusedRight | undefined>;
  /** @returns the changes, oldest first; undefined if the caller may not see them */
  policyChangesSince(at: Date): Promise<readonly PolicyChange[] | undefined>;
}

/** Reads the configuration, or the part of it that decides on rights. */
export interface CurrentPolicies<Base extends PolicyBase> {
  current(): Promise<Base>;
}
