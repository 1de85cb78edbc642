import { ServiceError } from '../kernel/errors.ts';
import { type Grant, holdsIn } from '../policy/access-control.ts';
import type { ReadPolicy } from '../policy/read-policy.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'realm.unknown': { readonly name?: string };
    'configuration.invalid': NoPayload;
    'configuration.changed': NoPayload;
  }
}

/** A set of users that tokens and policies refer to by one name, from resolvers in this order. */
export interface Realm {
  readonly id: string;
  /** Lower-case, unique. */
  readonly name: string;
  readonly isDefault: boolean;
  /** Names of the resolvers, in the order in which they are searched for a login. */
  readonly resolvers: readonly string[];
}

export const RESOLVER_KINDS = ['managed', 'passwd', 'sql', 'ldap'] as const;

/** The source of users: a table of this server, a file, a foreign SQL table, an LDAP directory. */
export type ResolverKind = (typeof RESOLVER_KINDS)[number];

export interface Resolver {
  readonly id: string;
  /** Unique; case is kept. */
  readonly name: string;
  readonly kind: ResolverKind;
  /** Settings by kind, see `resolvers/settings/settings-rules.ts`. Without secrets. */
  readonly settings: Readonly<Record<string, string>>;
  /** Its file must be below a folder of RESOLVER_FILE_DIRS. False where it was configured at the machine. */
  readonly isBounded: boolean;
  /**
   * A value that changes with every new secret; null without a secret; absent where the resolver is not stored. Reveals
   * nothing of the secret.
   */
  readonly secretStamp?: string | null;
}

/** Identifies one state of the configuration. */
export interface Revision {
  /** Grows with every configuration change of any server. */
  readonly revision: bigint;
  /** Time of the last change, by the database's clock. */
  readonly changedAt: Date;
}

/**
 * All that administrators configure, as of one revision: read together, so that one request never sees half of a
 * change, and kept until the database's revision changes.
 */
export interface Configuration extends Revision {
  /** Time at which this server read it. */
  readonly readAt: Date;
  /** Sorted by name. */
  readonly realms: readonly Realm[];
  /** Sorted by name. */
  readonly resolvers: readonly Resolver[];
  /** Sorted by name. */
  readonly policies: readonly ReadPolicy[];
  /** Keys as clients write them (`OcraMaxChallenges`), case kept. */
  readonly settings: ReadonlyMap<string, string>;
}

/** @returns the realm of that name in any case, the default realm for an empty name, undefined where there is none */
export function findRealm(configuration: Configuration, name: string): Realm | undefined {
  const requested = name.trim().toLowerCase();
  return configuration.realms.find((realm) =>
    requested === '' ? realm.isDefault : realm.name === requested,
  );
}

/**
 * @returns the name of a realm as it is kept
 * @throws ServiceError 'realm.unknown' for a realm that does not exist, and alike for one that the grant does not cover
 */
export function visibleRealm(configuration: Configuration, grant: Grant, name: string): string {
  const realm = name.trim() === '' ? undefined : findRealm(configuration, name);
  if (realm === undefined || !holdsIn(grant, realm.name)) {
    const unknown = name.slice(0, 255);
    throw new ServiceError('realm.unknown', `There is no realm '${unknown}'`, { name: unknown });
  }
  return realm.name;
}
