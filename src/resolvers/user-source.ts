import type { Resolver } from '../configuration/configuration.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'resolver.unknown': { readonly name?: string };
    'resolver.invalid': NoPayload;
    'resolver.changed': NoPayload;
    'resolver.in-use': NoPayload;
    'resolver.unavailable': NoPayload;
  }
}

/** A user of a resolver of any kind. */
export interface DirectoryUser {
  readonly userId: string;
  readonly login: string;
  readonly givenName: string;
  readonly surname: string;
  readonly email: string;
  readonly phone: string;
}

/** The fields by which users are searched. */
export type UserField = keyof DirectoryUser;

/**
 * A pattern as its literal pieces between the asterisks, each of which stands for any text: `['ann', '']` for `ann*`.
 * One piece matches the whole value. Case is ignored.
 */
export type UserPattern = readonly [string, ...string[]];

/** A condition: one of the fields matches. */
export interface UserCondition {
  readonly fields: readonly UserField[];
  readonly pattern: UserPattern;
}

/** The selection of users that a source returns. */
export interface UserSearch {
  /** All must hold. */
  readonly conditions: readonly UserCondition[];
  /** The most users. */
  readonly limit: number;
  /** True if any users that match will do, not only the first ones: managed resolvers then find beginnings by an index. */
  readonly isInAnyOrder?: boolean;
}

/** All entries of a resolver, and which of them are users: the others can own no token. */
export interface Examination {
  readonly entries: number;
  readonly users: number;
  readonly withoutId: number;
  /** Those with an id. */
  readonly withoutLogin: number;
  /** The users whose id another one has as well: they own the same tokens. */
  readonly sharingId: number;
  /** Lines of a file that are no accounts; absent: there are none. */
  readonly passedOver?: {
    readonly lines: number;
    /** The first of them, each with the reason. */
    readonly first: readonly string[];
  };
}

/** The users of one resolver. Every method may throw 'resolver.unavailable', with a message that names the resolver. */
export interface UserSource {
  /**
   * @returns the user whom the source finds by that login, under their own login, which may differ in case; the one of
   *   exactly that login comes first
   * @throws ServiceError 'user.ambiguous' for several others
   */
  findByLogin(login: string): Promise<DirectoryUser | undefined>;
  /** Compares exactly: tokens are bound to ids. */
  findById(userId: string): Promise<DirectoryUser | undefined>;
  /**
   * @param search selects users; undefined: all
   * @param onCut receives the limit of the settings of the resolver where the list ends at it, and more match
   */
  list(search?: UserSearch, onCut?: (limit: number) => void): Promise<readonly DirectoryUser[]>;
  count(): Promise<number>;
  /** Looks at all entries, for a test of the resolver. Refuses ids that are neither texts nor of a known form. */
  examine(): Promise<Examination>;
  /** @returns true if it is the user's password; false if the resolver keeps none */
  checkPassword(userId: string, password: string): Promise<boolean>;
  /** Ends its connections, if it holds any, after running work. A closed source opens new ones. */
  close?(): Promise<void>;
}

/** The secrets with which resolvers log in: the stored ones, or that of a trial. */
export interface ResolverSecrets {
  /**
   * @param stamp the `secretStamp` of the secret; undefined: the present one
   * @returns the secret, undefined if the resolver has none
   * @throws 'resolver.unavailable' if it has another stamp; 'key.unavailable', 'secret.unreadable',
   *   'database.unavailable'
   */
  open(resolver: Pick<Resolver, 'id' | 'name'>, stamp?: string | null): Promise<string | undefined>;
}

/** Opens the users of a resolver by its kind. */
export type UserSources = (resolver: Resolver) => UserSource;
