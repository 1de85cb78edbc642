import type { ResolverKind } from '../configuration/configuration.ts';
import type { Licence } from './licence.ts';

/** A number of tokens, or for `total users` of users, and the name of the status that they share. */
export interface StatusCount {
  /** `total`, `total users`, or a status as it was asked for (`unassigned&inactive`). */
  readonly status: string;
  readonly count: number;
}

interface RealmTokens {
  /** The realm's name, or `NO_REALM`. */
  readonly realm: string;
  /** `total`, `total users`, then each status asked for, in the order asked. */
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
  /** In the realm's order of resolvers. */
  readonly resolvers: readonly ResolverUsers[];
}

/** The last known number of users of a resolver that does not tell now. */
export interface StaleUsers {
  readonly resolver: string;
  readonly users: number;
  /** How long ago they were counted, in whole seconds. */
  readonly age: number;
  readonly countedAt: Date;
  /** Why the resolver does not tell, in words that may reach the client. */
  readonly reason: string;
}

export interface UserReport {
  readonly realms: readonly RealmUsers[];
  /** Only where there is one: the resolvers whose last known number stands in `realms`. */
  readonly stale?: readonly StaleUsers[];
}

export interface ActiveUserReport {
  readonly realms: readonly RealmUsers[];
  /** Users with an active token in any of these realms, each user of a resolver once. */
  readonly total: number;
}

export interface ConfigurationReport {
  /** Whether what this server works with is what the database holds. */
  readonly sync: boolean;
  /** When this server read the configuration that it works with, by its own clock. */
  readonly readAt: Date;
  /** When the configuration in the database was changed last, by the database's clock. */
  readonly changedAt: Date;
  readonly now: Date;
  /** Everything configured: values, resolvers, policies and realms. */
  readonly total: number;
  /** Configuration values alone. */
  readonly values: number;
  readonly resolvers: Readonly<Record<ResolverKind, number>>;
  /** Also those that are switched off. */
  readonly policies: number;
  readonly realms: number;
}

/**
 * The state of the support subscription. `none`: no licence is installed, support comes from the community. `invalid`:
 * there is one that does not count, as it cannot be read, is not signed with our key, is out of its time, or is for fewer
 * than there are.
 */
export type LicenseReport =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'valid';
      readonly licence: Licence;
      /** How many there are of what the licence counts; within the grace more than licensed. */
      readonly active: number;
    }
  | ({
      readonly kind: 'invalid';
      /** In plain English, for operators: goes on after `it is refused:`. */
      readonly explanation: string;
    } & LicenceRefusal);

/** Why a licence does not count, and what it says where its signature is good and it can be read. */
type LicenceRefusal =
  | { readonly reason: 'unreadable' | 'unverified'; readonly licence?: undefined }
  | { readonly reason: 'early'; readonly licence: Licence; readonly startsAt: Date }
  | { readonly reason: 'expired'; readonly licence: Licence }
  | { readonly reason: 'exceeded'; readonly licence: Licence; readonly active: number };
