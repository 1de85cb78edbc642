import type { Act } from './caller.ts';
import type { Policy } from './stored-policy.ts';

/** The part of the configuration that decides on rights, as of one revision. */
export interface PolicyBase {
  /** Sorted by name. */
  readonly policies: readonly Policy[];
  /** All realms, sorted by name. */
  readonly realms: readonly { readonly name: string }[];
  /** All resolvers, sorted by name. */
  readonly resolvers: readonly { readonly name: string }[];
}

/** The policies as they are stored. Every change is one transaction with its audit row. */
export interface PolicyStore {
  current(): Promise<PolicyBase>;
  /** Creates or replaces a policy of that name. */
  putPolicy(policy: Policy, act: Act): Promise<void>;
  /** @returns true if it existed */
  removePolicy(name: string, act: Act): Promise<boolean>;
}

/** Reads the configuration, or the part of it that decides on rights. */
export interface CurrentPolicies<Base extends PolicyBase> {
  current(): Promise<Base>;
}
