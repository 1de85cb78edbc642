import type { ResponseReason } from '../../challenges/challenge.ts';
import type { ConfigurationReport, LicenceReport } from '../outcomes.ts';
import type { ResolverKind } from '../../configuration/configuration.ts';

/** Numbers of tokens by status. */
export interface TokenNumbers {
  readonly total: number;
  readonly active: number;
  readonly inactive: number;
  readonly assigned: number;
  readonly unassigned: number;
  readonly locked: number;
}

interface RealmTokenNumbers extends TokenNumbers {
  /** The realm's name, or `NO_REALM`. */
  readonly realm: string;
}

/** Tokens by realm and status. */
export interface TokenOverview {
  readonly realms: readonly RealmTokenNumbers[];
  /** Over all these realms; a token in several of them counts once. */
  readonly summary: TokenNumbers;
}

/** Users with an active token, by realm. */
export interface ActiveUserOverview {
  readonly realms: readonly { readonly realm: string; readonly users: number }[];
  /** Over all these realms; a user in several of them counts once. */
  readonly total: number;
}

/** The number of users of a resolver. */
export interface ResolverUserOverview {
  readonly resolver: string;
  /** The shown realms that use it. */
  readonly realms: readonly string[];
  /** Null: it was never counted with its present settings. */
  readonly users: number | null;
  /** The time of the count; null: the number is the present one, or there is none. */
  readonly countedAt: Date | null;
}

/** The health of a resolver: its state at its last use by any server, and the times of the last uses. */
export interface ResolverHealth {
  readonly resolver: string;
  readonly kind: ResolverKind;
  /** `unknown`: it was not used yet. */
  readonly state: 'available' | 'unavailable' | 'unknown';
  readonly succeededAt: Date | null;
  readonly failedAt: Date | null;
}

/** Responses by outcome, with estimates of the time that their verification took. */
export interface ResponseNumbers {
  /** Those that there were. */
  readonly outcomes: Readonly<Partial<Record<ResponseReason, number>>>;
  /** Milliseconds; null without responses. */
  readonly p50: number | null;
  readonly p95: number | null;
}

/** Responses of the last hour, over all realms. */
export interface ResponseOverview extends ResponseNumbers {
  /** The first minute. */
  readonly since: Date;
  /** Sixty, the last one of which is not over. */
  readonly minutes: readonly (ResponseNumbers & { readonly minute: Date })[];
}

/** The configuration that a server uses, compared with that of the database. */
export type ConfigurationOverview = Pick<
  ConfigurationReport,
  'sync' | 'changedAt' | 'values' | 'resolvers' | 'policies' | 'realms'
>;

/** The state of an installation. A part is null for a caller without the right to see it. */
export interface Overview {
  readonly tokens: TokenOverview | null;
  readonly activeUsers: ActiveUserOverview | null;
  readonly users: readonly ResolverUserOverview[] | null;
  readonly licence: LicenceReport | null;
  readonly configuration: ConfigurationOverview | null;
  /** True if a new secret was found encrypted a minute ago at most; false, too, while there is no key to encrypt with. */
  readonly storageEncryption: boolean | null;
  readonly resolvers: readonly ResolverHealth[] | null;
  readonly responses: ResponseOverview | null;
}
