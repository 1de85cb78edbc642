export const POLICY_SCOPES = [
  'admin',
  'system',
  'monitoring',
  'ocra',
  'authentication',
  'selfservice',
] as const;

export type PolicyScope = (typeof POLICY_SCOPES)[number];

/** The scopes whose policies give rights to administrators; those of the others are about the owners of tokens. */
export type RightScope = Exclude<PolicyScope, 'authentication' | 'selfservice'>;

export const RIGHT_SCOPES: readonly RightScope[] = POLICY_SCOPES.filter(
  (scope) => scope !== 'authentication' && scope !== 'selfservice',
);

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
