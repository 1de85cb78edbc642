export const POLICY_SCOPES = ['admin', 'system', 'monitoring', 'ocra', 'authentication'] as const;

export type PolicyScope = (typeof POLICY_SCOPES)[number];

/** The scopes whose policies give rights; those of the scope authentication give values. */
export const RIGHT_SCOPES = POLICY_SCOPES.filter((scope) => scope !== 'authentication');

/** A policy as it is stored: lists are comma separated texts, `*` means any; `policy.ts` reads them. */
export interface Policy {
  readonly name: string;
  /** One of `POLICY_SCOPES`; in a policy that was imported and is inactive, also another one. */
  readonly scope: string;
  /** Comma list of `action` or `action=value`. */
  readonly action: string;
  readonly realm: string;
  readonly user: string;
  /** Comma list of addresses and networks; empty means any. */
  readonly client: string;
  /** `minute hour day month weekday year;` as cron writes it; empty means always. */
  readonly time: string;
  readonly active: boolean;
}
