import type { ResolverKind } from '../configuration/configuration.ts';
import type { Licence } from './licence.ts';

/** A number of tokens, or for `total users` of users, and the name of the status that they share. */
export interface StatusCount {
  /** `total`, `total users`, or a status as requested (`unassigned&inactive`). */
  readonly status: string;
  readonly count: number;
}

interface RealmTokens {
  /** The realm's name, or `NO_REALM`. */
  readonly realm: string;
  /** `total`, `total users`, then each requested status, in the requested order. */
  readonly counts: readonly StatusCount[];
}

export interface TokenReport {
  readonly realms: readonly RealmTokens[];
  /** Over all these realms; a token or user in several of them counts once. Same order as in each realm. */
  readonly summary: readonly StatusCount[];
}

interface ResolverUsers {
  readonly resolver: string;
  readonly users: number;
}

export interface RealmUsers {
  /** The realm's name; among active users also `NO_REALM`. */
  readonly realm: string;
  /** Users of the realm's resolvers, in its order. */
  readonly resolvers: readonly ResolverUsers[];
}

/** The last known number of users of a resolver that is unavailable now. */
export interface StaleUsers {
  readonly resolver: string;
  readonly users: number;
  /** Age of the number, in whole seconds. */
  readonly age: number;
  readonly countedAt: Date;
  /** The reason why the resolver is unavailable, in words that may reach the client. */
  readonly reason: string;
}

export interface UserReport {
  readonly realms: readonly RealmUsers[];
  /** The resolvers whose last known number is in `realms`; absent if there is none. */
  readonly stale?: readonly StaleUsers[];
}

export interface ActiveUserReport {
  readonly realms: readonly RealmUsers[];
  /** Users with an active token in any of these realms, each user of a resolver once. */
  readonly total: number;
}

export interface ConfigurationReport {
  /** True if this server uses the configuration of the database. */
  readonly sync: boolean;
  /** Time at which this server read its configuration. */
  readonly readAt: Date;
  /** Time of the last change of the configuration in the database, by the database's clock. */
  readonly changedAt: Date;
  readonly now: Date;
  /** Number of all values, resolvers, policies and realms. */
  readonly total: number;
  /** Number of values alone. */
  readonly values: number;
  readonly resolvers: Readonly<Record<ResolverKind, number>>;
  /** Includes inactive policies. */
  readonly policies: number;
  readonly realms: number;
}

/**
 * The state of the licence. `none`: no licence is installed, support comes from the community. `invalid`:
 * the installed one cannot be read, is not signed with the configured key, is out of its time, or is for fewer than
 * there are.
 */
export type LicenceReport =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'valid';
      readonly licence: Licence;
      /** Present number of units; may exceed the licensed number by the grace. */
      readonly active: number;
    }
  | ({
      readonly kind: 'invalid';
      /** In plain English, for operators: goes on after `it is refused:`. */
      readonly explanation: string;
    } & LicenceRefusal);

/** The reason why a licence does not count, and what it says where its signature is good and it can be read. */
type LicenceRefusal =
  | { readonly reason: 'unreadable' | 'unverified'; readonly licence?: undefined }
  | { readonly reason: 'early'; readonly licence: Licence; readonly startsAt: Date }
  | { readonly reason: 'expired'; readonly licence: Licence }
  | { readonly reason: 'exceeded'; readonly licence: Licence; readonly active: number };
