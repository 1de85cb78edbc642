import type { Act } from './caller.ts';
import type { Policy, Resolver, ResolverKind, Setup } from './setup.ts';
import type { NewToken, Owner, Token, TokenChange, TokenStateChange } from './token.ts';
import type { Sealed } from './vault.ts';

/** A resolver as it is stored. */
export interface ResolverEntry {
  readonly name: string;
  readonly kind: ResolverKind;
  readonly settings: Readonly<Record<string, string>>;
  /** Whether its file must be below a folder of RESOLVER_FILE_DIRS; true unless told. */
  readonly isBounded?: boolean;
  /** What it logs in with, sealed for 'resolver' and its name. null: nothing; undefined: what it has is kept. */
  readonly secret?: Sealed | null | undefined;
  /** Names of the settings that say to whom the secret is shown. */
  readonly secretBoundTo?: readonly string[];
}

/** The configuration, read as one value and changed piece by piece. Every change is one transaction with its audit row. */
export interface SetupStore {
  /** @returns the setup of a moment at most one short window ago, with every change that was made through this store */
  current(): Promise<Setup>;
  /** Creates or replaces a policy of that name. */
  putPolicy(policy: Policy, act: Act): Promise<void>;
  /** @returns whether there was one */
  removePolicy(name: string, act: Act): Promise<boolean>;
  /** Creates the realm or replaces its resolvers. The first realm becomes the default one. @throws 'resolver.unknown' */
  putRealm(name: string, resolvers: readonly string[], act: Act): Promise<void>;
  /** Removes the realm, also from every token that is in it. @returns whether there was one */
  removeRealm(name: string, act: Act): Promise<boolean>;
  /** @param name the new default realm, or null for none. @throws 'realm.unknown' */
  setDefaultRealm(name: string | null, act: Act): Promise<void>;
  /**
   * Creates or changes a resolver.
   * @throws 'resolver.invalid' when its kind would change, or one of the settings in `secretBoundTo` while its secret
   *   is kept
   */
  putResolver(resolver: ResolverEntry, act: Act): Promise<void>;
  /** @returns whether there was one. @throws 'resolver.in-use' while a realm or a token's owner refers to it */
  removeResolver(name: string, act: Act): Promise<boolean>;
  putConfiguration(entries: ReadonlyMap<string, string>, act: Act): Promise<void>;
  /** @returns whether there was such a key */
  removeConfiguration(key: string, act: Act): Promise<boolean>;
}

/** Which tokens to list; what is left out does not restrict. Nothing here is a wildcard. */
export interface TokenFilter {
  readonly serial?: string | undefined;
  readonly owner?: Pick<Owner, 'resolverId' | 'userId'> | undefined;
  /** A realm's name; null: tokens in no realm. */
  readonly realm?: string | null | undefined;
  /** Tokens in at least one of these realms; none of them means no token. */
  readonly inRealms?: readonly string[] | undefined;
  readonly active?: boolean | undefined;
  readonly assigned?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/**
 * Decides on a token as it is while nobody else can change it: what was read of it before may be out of date.
 * @returns what else is changed of it. @throws for nothing to be changed
 */
export type LockedDecision = (token: Token) => TokenStateChange;

export interface TokenStore {
  /** @returns the token with exactly this serial */
  findBySerial(serial: string): Promise<Token | undefined>;
  /** @returns tokens by serial */
  list(filter: TokenFilter): Promise<readonly Token[]>;
  count(filter: TokenFilter): Promise<number>;
  /** @throws 'token.exists' when a serial differs at most in case, 'realm.unknown' */
  insert(token: NewToken, act: Act): Promise<Token>;
  /**
   * Changes a token and writes the audit row, in one transaction.
   * @returns the token as it is afterwards, undefined when it does not exist. @throws 'realm.unknown'
   */
  update(serial: string, change: TokenChange, act: Act, decide?: LockedDecision): Promise<Token | undefined>;
  /**
   * Removes the token with its challenges.
   * @param assure throws where the token, as it is now, is not to be removed
   * @returns whether there was one
   */
  remove(serial: string, act: Act, assure?: (token: Token) => void): Promise<boolean>;
  /**
   * Changes tokens by their serials, all of them or none, each with its audit row.
   * @throws 'token.unknown' when one is gone
   */
  updateAll(changes: ReadonlyMap<string, TokenChange>, act: Act, decide?: LockedDecision): Promise<void>;
  /**
   * Removes tokens with their challenges, all or none.
   * @param assure throws where a token, as it is now, is not to be removed
   * @throws 'token.unknown' when one is gone
   */
  removeAll(serials: readonly string[], act: Act, assure?: (token: Token) => void): Promise<void>;
}

/** A user of a managed resolver. */
export interface ManagedUser {
  readonly userId: string;
  readonly login: string;
  readonly givenName: string;
  readonly surname: string;
  readonly email: string;
  readonly phone: string;
  /** As `PasswordHasher` makes it; null: no password. */
  readonly passwordHash: string | null;
}

/** The table behind managed resolvers. */
export interface ManagedUserStore {
  findByLogin(resolverId: string, login: string): Promise<ManagedUser | undefined>;
  findById(resolverId: string, userId: string): Promise<ManagedUser | undefined>;
  list(resolverId: string): Promise<readonly ManagedUser[]>;
  count(resolverId: string): Promise<number>;
  /** @throws 'user.exists' */
  insert(resolverId: string, user: Omit<ManagedUser, 'userId'>, act: Act): Promise<ManagedUser>;
  setPassword(resolverId: string, userId: string, passwordHash: string | null, act: Act): Promise<boolean>;
  /** Removes the user; the tokens become unassigned. @returns whether there was one */
  remove(resolverId: string, userId: string, act: Act): Promise<boolean>;
}

/** A user as the resolver tells of them, whatever its kind. */
export interface DirectoryUser {
  readonly userId: string;
  readonly login: string;
  readonly givenName: string;
  readonly surname: string;
  readonly email: string;
  readonly phone: string;
}

/** The users of one resolver. Every method may throw 'resolver.unavailable', with a message that names the resolver. */
export interface UserSource {
  findByLogin(login: string): Promise<DirectoryUser | undefined>;
  findById(userId: string): Promise<DirectoryUser | undefined>;
  list(): Promise<readonly DirectoryUser[]>;
  count(): Promise<number>;
  /** @returns whether it is the user's password; false where the resolver keeps none */
  checkPassword(userId: string, password: string): Promise<boolean>;
}

/** Which files may be named over HTTP. */
export interface ResolverFiles {
  /** @throws ServiceError 'resolver.invalid' */
  assertNamable(fileName: string): Promise<void>;
}

/** What resolvers log in with. */
export interface ResolverSecrets {
  /**
   * @returns the secret, undefined when it has none
   * @throws 'key.unavailable', 'secret.unreadable', 'database.unavailable'
   */
  open(resolver: Pick<Resolver, 'id' | 'name'>): Promise<string | undefined>;
}

/** Opens the users of a resolver by its kind. */
export type UserSources = (resolver: Resolver) => UserSource;

export interface Administrator {
  readonly id: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly createdAt: Date;
}

/** That somebody has just given an administrator's password, and which one it was: it may change the moment after. */
export interface ProvenPassword {
  readonly administrator: string;
  /** SHA-256 of the hash that the password was verified against. */
  readonly version: Buffer;
}

export interface ApiToken {
  readonly name: string;
  readonly administrator: string;
  readonly rights: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** Administrators, what they carry instead of a password, and their sessions. Tokens and sessions are kept as hashes. */
export interface AdministratorStore {
  find(name: string): Promise<Administrator | undefined>;
  list(): Promise<readonly Administrator[]>;
  /** @throws 'administrator.exists' */
  insert(name: string, passwordHash: string, act: Act): Promise<void>;
  /** For several servers that start at once. @returns false when there is an administrator already */
  insertFirst(name: string, passwordHash: string, act: Act): Promise<boolean>;
  /**
   * Also ends every session of the administrator, and the API tokens where that is wanted.
   * @returns how many API tokens there were; undefined where there is no such administrator
   */
  setPassword(
    name: string,
    passwordHash: string,
    act: Act,
    options?: { readonly revokesApiTokens?: boolean },
  ): Promise<{ readonly apiTokens: number } | undefined>;
  /** Also removes sessions and API tokens. @throws 'administrator.invalid' for the last one. @returns whether there was one */
  remove(name: string, act: Act): Promise<boolean>;
  /** @throws 'administrator.unknown', 'administrator.exists' when the name is taken for that administrator */
  insertApiToken(token: Omit<ApiToken, 'createdAt'>, tokenHash: Buffer, act: Act): Promise<void>;
  listApiTokens(administrator: string): Promise<readonly ApiToken[]>;
  removeApiToken(administrator: string, name: string, act: Act): Promise<boolean>;
  /** @returns the token of that hash, unless it has expired by `now` */
  findApiToken(tokenHash: Buffer, now: Date): Promise<ApiToken | undefined>;
  /** @returns false where the password has been changed since it was proven, or the administrator is gone */
  insertSession(proven: ProvenPassword, sessionHash: Buffer, expiresAt: Date, act: Act): Promise<boolean>;
  /** @returns the administrator's name, unless the session has expired by `now` or was revoked */
  findSession(sessionHash: Buffer, now: Date): Promise<string | undefined>;
  revokeSession(sessionHash: Buffer, act: Act): Promise<boolean>;
}

/** `unknown`: the form in which the password is kept is none that is verified. */
export type PasswordVerdict = 'match' | 'mismatch' | 'unknown';

/** Verifies passwords against what directories, databases and passwd files keep in their place. */
export interface DirectoryPasswords {
  /** @param stored as it is kept there; null, or what locks an account: matches nothing */
  verify(stored: string | null, password: string): Promise<PasswordVerdict>;
}

/** Slow, salted hashes for passwords that people choose. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** @returns whether it is the password; takes as long for a wrong one */
  verify(hash: string, password: string): Promise<boolean>;
  /**
   * Takes as long as `verify` does, for an account that does not exist.
   * @param account tells it from others, as its hash would: work that is shared between accounts would show that neither exists
   */
  verifyNothing(password: string, account: string): Promise<false>;
}
