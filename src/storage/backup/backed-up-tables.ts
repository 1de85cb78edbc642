/** The tables of a backup, each after those that its foreign keys name. */
// prettier-ignore
export const BACKED_UP_TABLES = [
  'realms', 'resolvers', 'realm_resolvers', 'resolver_user_counts', 'realm_sets', 'users', 'tokens',
  'challenges', 'configuration', 'policies', 'licence', 'administrators', 'api_tokens', 'passkeys',
  'webhooks',
  'imported_entries', 'imported_tokens', 'encryption_keys', 'audit_journal', 'audit',
  // Last: triggers of the tables above write it.
  'configuration_state',
] as const;

/**
 * Tables that a backup leaves out: what running servers keep for each other, counts, which a restore makes anew,
 * sessions, of which a restore could bring back one that was revoked since, sign-ins under way, events, which
 * receivers have got since, what servers have observed, the last look at the clock, and verifications, which are of
 * another trail.
 */
// prettier-ignore
export const LEFT_OUT_TABLES = [
  'key_holders', 'rate_limits', 'sessions', 'sign_in_attempts', 'used_sign_ons', 'credential_state', 'count_state',
  'count_deltas',
  'token_counts', 'active_user_tokens', 'active_user_counts', 'user_count_deltas', 'user_counts',
  'webhook_events', 'webhook_deliveries', 'webhook_health',
  'response_minutes', 'resolver_uses',
  'locked_token_deltas', 'locked_token_counts', 'audit_verifications',
  'clock_state',
] as const;

/** Tables that are empty before the first use of the database. The first start of a server writes to some of them. */
export const TABLES_IN_USE = [
  'administrators',
  'realms',
  'resolvers',
  'users',
  'tokens',
  'challenges',
  'configuration',
  'licence',
  'webhooks',
  'audit',
] as const;

/** Tables whose triggers count rows. A load disables them and counts anew. */
export const COUNTED_TABLES = ['tokens', 'users'] as const;
