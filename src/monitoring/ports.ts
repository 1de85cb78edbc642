import type { ResponseReason } from '../challenges/challenge-metrics.ts';
import type { Act } from '../policy/caller.ts';

/** Number of tokens in exactly this set of realms, active or not, assigned or not. */
export interface TokenCountRow {
  /** Names of all realms of these tokens; empty: in no realm. */
  readonly realms: readonly string[];
  readonly active: boolean;
  readonly assigned: boolean;
  readonly tokens: number;
}

/**
 * Number of users of a resolver who own active tokens in exactly these realms, all of a user's active tokens taken
 * together. A user is in one row only, so the number of users in a choice of realms is a sum over rows, each user once.
 */
export interface ActiveUserRow {
  /** The resolver's name. */
  readonly resolver: string;
  /** Names of all realms in which such a user has an active token. */
  readonly realms: readonly string[];
  /** True if such a user (also) has an active token that is in no realm. */
  readonly inNoRealm: boolean;
  readonly users: number;
}

/** All counts as of one instant, so that they are consistent. */
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

/** A stored count that differs from a count of single tokens or users. */
export interface CountDrift {
  readonly counts: 'tokens' | 'active tokens of a user' | 'active users' | 'managed users' | 'locked tokens';
  /** The resolver's name; null for tokens. */
  readonly resolver: string | null;
  /** The id of a user within the resolver, as tokens name their owners. */
  readonly userId: string | null;
  /** The sets of realms that were counted, each as its names joined by ` & `, or `no realm`. */
  readonly realms: readonly string[];
  /** Null where it does not apply. */
  readonly active: boolean | null;
  readonly assigned: boolean | null;
  readonly kept: number;
  readonly counted: number;
}

/** The result of counting one by one. */
export interface CountCheck {
  /** Number of counts that have drifted. */
  readonly total: number;
  /** These counts, the first thousand at most. */
  readonly drifts: readonly CountDrift[];
}

/**
 * Counts tokens and users one by one and compares; takes time in proportion to their number, and blocks no other work.
 */
export interface CountVerification {
  verify(): Promise<CountCheck>;
  /**
   * Corrects the counts that have drifted.
   * @returns the counts that were wrong
   */
  mend(act: Act): Promise<CountCheck>;
}

/** Tests the encryption of a new secret in the database. */
export interface StorageProbe {
  /**
   * Stores a probe value as every secret is stored, examines the stored bytes and removes it.
   * @returns true only if the plain text is not in the stored bytes and they open to it again
   */
  encrypts(): Promise<boolean>;
}

/** Past number of users of a resolver. */
export interface UserCount {
  readonly users: number;
  readonly countedAt: Date;
}

/** A stored count, with the settings of its resolver at that time. */
export interface KeptUserCount extends UserCount {
  readonly resolverId: string;
  /** Identifies the settings: a resolver with other settings may hold other users. */
  readonly settingsHash: string;
}

/** Storage of the last counts, beyond the life of a process. */
export interface UserCountStore {
  /** @returns the stored counts of these resolvers, also of earlier settings */
  find(resolverIds: readonly string[]): Promise<readonly KeptUserCount[]>;
  /** Stores the count unless a later one is stored. */
  keep(count: KeptUserCount): Promise<void>;
}

/** Metrics of resolvers, by their names. */
export interface ResolverMetrics {
  /** Counts a resolver that failed, or did not answer in time. */
  resolverFailed(resolver: string): void;
  /** Counts an answer with a last known count. */
  staleAnswered(resolver: string): void;
  /** Sets the time of the last count of a resolver's users. */
  lastCounted(resolver: string, at: Date): void;
  /** Removes the metrics of a resolver that no longer exists, or whose counts are void. */
  resolverForgotten(resolver: string): void;
}

/** Number of locked tokens in exactly this set of realms. */
export interface LockedTokenRow {
  /** Names of all realms of these tokens; empty: in no realm. */
  readonly realms: readonly string[];
  readonly tokens: number;
}

/** The facts about the installation in the database besides its counts of tokens. */
export interface StoredState {
  readonly lockedTokens: readonly LockedTokenRow[];
  /** Number of open challenges, counted up to a hundred thousand. */
  readonly openChallenges: number;
  /** The end of the last `tankeeper export`; undefined: the audit has none. */
  readonly lastBackup: Date | undefined;
}

/** The result of a check of a licence's signature. The texts name the fault, for operators. */
export type SignedLicence =
  | { readonly kind: 'verified'; readonly claims: unknown }
  | { readonly kind: 'unverified'; readonly why: string }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Verifies licences with the one configured public key; a key that the licence itself names is ignored. */
export interface LicenceSignature {
  read(text: string): Promise<SignedLicence>;
}

/** The one licence of the installation, in its original text. Every change has its audit row. */
export interface LicenceStore {
  installed(): Promise<string | undefined>;
  /**
   * Stores a licence in place of the present one.
   * @param audit subject and outcome of the audit row
   */
  put(text: string, act: Act, audit: { readonly subject: string; readonly outcome: string }): Promise<void>;
  /** @returns true if it existed */
  remove(act: Act): Promise<boolean>;
}

/** Responses that ended in a minute with an outcome. */
export interface ResponseMinute {
  /** Its beginning. */
  readonly minute: Date;
  readonly outcome: ResponseReason;
  /** Their numbers by class of duration. */
  readonly durations: readonly number[];
}

/** The last uses of a resolver. */
export interface ResolverUse {
  /** The resolver's name. */
  readonly resolver: string;
  /** The time of its last answer. */
  readonly succeededAt?: Date;
  /** The time at which it was last unavailable. */
  readonly failedAt?: Date;
}

/** The observations of a process. */
export interface Observed {
  readonly responses: readonly ResponseMinute[];
  readonly resolvers: readonly ResolverUse[];
}

/** The observations of all servers. */
export interface ObservationStore {
  /** Adds what a process has seen, in a statement for each kind. */
  add(observed: Observed): Promise<void>;
  /** @returns the responses from that minute on, oldest first */
  responsesSince(minute: Date): Promise<readonly ResponseMinute[]>;
  /** @returns the last uses of all resolvers that were used */
  resolverUses(): Promise<readonly ResolverUse[]>;
}
