import type { Policy } from '../policy/stored-policy.ts';

/** A set of users that tokens and policies refer to by one name, fed from resolvers in this order. */
export interface Realm {
  readonly id: string;
  /** Lower-case, unique. */
  readonly name: string;
  readonly isDefault: boolean;
  /** Names of the resolvers, in the order in which a login is looked up. */
  readonly resolvers: readonly string[];
}

export const RESOLVER_KINDS = ['managed', 'passwd', 'sql', 'ldap'] as const;

/** Where users live: a table of ours, a file, a table of somebody else's, a directory. */
export type ResolverKind = (typeof RESOLVER_KINDS)[number];

export interface Resolver {
  readonly id: string;
  /** Unique; case is kept. */
  readonly name: string;
  readonly kind: ResolverKind;
  /** By kind, see `resolver-settings/settings-rules.ts`. Holds no secret. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whether its file must be below a folder of RESOLVER_FILE_DIRS; not so where it was set at the machine. */
  readonly isBounded: boolean;
  /** Another one with every secret that it is given; absent or null: it has none. Tells nothing of the secret. */
  readonly secretStamp?: string | null;
}

/**
 * All that administrators configure, as of one revision: read together, so that one request never sees half of a
 * change, and kept until the database's revision moves on.
 */
export interface Configuration {
  /** Grows with every configuration change, whoever makes it. */
  readonly revision: bigint;
  /** When the last change was made, by the database's clock. */
  readonly changedAt: Date;
  /** When this server read it. */
  readonly readAt: Date;
  /** Sorted by name. */
  readonly realms: readonly Realm[];
  /** Sorted by name. */
  readonly resolvers: readonly Resolver[];
  /** Sorted by name. */
  readonly policies: readonly Policy[];
  /** Keys as clients write them (`OcraMaxChallenges`), case kept. */
  readonly settings: ReadonlyMap<string, string>;
}

/** @returns the realm of that name in any case, the default realm for an empty name, undefined where there is none */
export function findRealm(configuration: Configuration, name: string): Realm | undefined {
  const wanted = name.trim().toLowerCase();
  return configuration.realms.find((realm) => (wanted === '' ? realm.isDefault : realm.name === wanted));
}
