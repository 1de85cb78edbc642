import type { Act } from '../policy/caller.ts';
import type { Configuration } from '../configuration/configuration.ts';

/** How many tokens are in exactly this set of realms, active or not, assigned or not. */
export interface TokenCountRow {
  /** Names of all realms of these tokens; empty: in no realm. */
  readonly realms: readonly string[];
  readonly active: boolean;
  readonly assigned: boolean;
  readonly tokens: number;
}

/**
 * How many users of a resolver own active tokens in exactly these realms, all of a user's active tokens taken together.
 * A user is in one row only, so users in a choice of realms are a sum over rows, each user once.
 */
export interface ActiveUserRow {
  /** The resolver's name. */
  readonly resolver: string;
  /** Names of all realms in which such a user has an active token. */
  readonly realms: readonly string[];
  /** Whether such a user (also) has an active token that is in no realm. */
  readonly inNoRealm: boolean;
  readonly users: number;
}

/** All counts as of one instant, so that they fit together. */
export interface TokenCountsSnapshot {
  readonly tokens: readonly TokenCountRow[];
  readonly activeUsers: readonly ActiveUserRow[];
}

/** Counts of tokens and of users with active tokens, in rows that can be added up for any choice of realms. */
export interface TokenCounts {
  /** @returns tokens and active users, both as of the same instant */
  snapshot(): Promise<TokenCountsSnapshot>;
  /** @returns active users only, for less work */
  activeUsers(): Promise<readonly ActiveUserRow[]>;
}

/** A count that is not what counting one by one gives. */
export interface CountDrift {
  readonly counts: 'tokens' | 'active tokens of a user' | 'active users' | 'managed users';
  /** The resolver's name; null for tokens. */
  readonly resolver: string | null;
  /** Of a user within the resolver, as tokens name their owners. */
  readonly userId: string | null;
  /** The sets of realms that were counted, each as its names joined by ` & `, or `no realm`. */
  readonly realms: readonly string[];
  /** Null where it does not matter. */
  readonly active: boolean | null;
  readonly assigned: boolean | null;
  readonly kept: number;
  readonly counted: number;
}

/** What counting one by one has shown. */
export interface CountCheck {
  /** How many counts have drifted. */
  readonly total: number;
  /** Those, or the first thousand of them. */
  readonly drifts: readonly CountDrift[];
}

/** Counts tokens and users one by one and compares; takes as long as there are many, and holds up nobody. */
export interface CountVerification {
  verify(): Promise<CountCheck>;
  /** Sets right what has drifted. @returns what was wrong */
  mend(act: Act): Promise<CountCheck>;
}

/** Where the configuration stands: in what this server keeps, and in the database itself. */
export interface ConfigurationState {
  /**
   * What this server takes the configuration to be, without asking the database. undefined where it takes nothing for
   * granted and would ask: before it was first read, when a change has been noticed, and where it asks each time anyway.
   */
  readonly assumed: Configuration | undefined;
  /** @returns the revision and the time of the last change, read from the database now */
  lastChangeInDatabase(): Promise<ConfigurationChange>;
}

export interface ConfigurationChange {
  /** Comparable with `Configuration.revision`. */
  readonly revision: bigint;
  readonly changedAt: Date;
}

/** Tries what a new secret looks like in the database. */
export interface StorageProbe {
  /**
   * Stores a probe value as every secret is stored, looks at the stored bytes and takes it back.
   * @returns true only if the plain text is not in the stored bytes and they open to it again
   */
  encrypts(): Promise<boolean>;
}

/** How many users a resolver had. */
export interface UserCount {
  readonly users: number;
  readonly countedAt: Date;
}

/** A count as it is kept: of a resolver as it was set up then. */
export interface KeptUserCount extends UserCount {
  readonly resolverId: string;
  /** Stands for the settings; a resolver that is set up otherwise may hold other users. */
  readonly settingsDigest: string;
}

/** Where the last counts are kept, beyond the life of a process. */
export interface UserCountStore {
  /** @returns what is kept of these resolvers, also of other settings than today's */
  find(resolverIds: readonly string[]): Promise<readonly KeptUserCount[]>;
  /** Keeps the count unless a later one is kept. */
  keep(count: KeptUserCount): Promise<void>;
}

/** What is measured of resolvers, by their names. */
export interface ResolverMetrics {
  /** A resolver was asked and failed, or did not answer in time. */
  resolverFailed(resolver: string): void;
  /** An answer went out with a last known count. */
  staleAnswered(resolver: string): void;
  /** When a resolver's users were counted last. */
  lastCounted(resolver: string, at: Date): void;
  /** There is no such resolver any more, or its counts are void. */
  resolverForgotten(resolver: string): void;
}

/** What came of looking at a licence's signature. The texts say what is wrong, for operators. */
export type SignedLicence =
  | { readonly kind: 'verified'; readonly claims: unknown }
  | { readonly kind: 'unverified'; readonly why: string }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Verifies licences with the one public key that is configured; what a licence says of its own key counts for nothing. */
export interface LicenceSignature {
  read(text: string): Promise<SignedLicence>;
}

/** The one licence of the installation, as it was handed over. Every change comes with its audit row. */
export interface LicenceStore {
  installed(): Promise<string | undefined>;
  /** Puts it in the place of the one there is. @param audit what it is about and what came of it */
  put(text: string, act: Act, audit: { readonly subject: string; readonly outcome: string }): Promise<void>;
  /** @returns whether there was one */
  remove(act: Act): Promise<boolean>;
}
