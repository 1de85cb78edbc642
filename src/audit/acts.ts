/** The first words of outcomes; details may follow: `changed owner, realms`, `refused: password, 812 times`. */
// prettier-ignore
export const OUTCOME_WORDS: readonly string[] = [
  // Of challenges and responses.
  'issued', 'accepted', 'wrong', 'exhausted', 'locked', 'closed', 'dropped', 'expired', 'disabled',
  'unverifiable', 'declined', 'reported',
  // Of administration.
  'created', 'changed', 'stored', 'removed', 'being', 'default', 'no', 'imported', 'done', 'refused',
  'session', 'password', 'second', 'passkey', 'added', 'current', 'sealed', 'retired',
  'confirmed', 'copied', 'renamed', 'found',
  // Of upkeep.
  'migrated', 'repaired', 'pruned', 'handed', 'restored', 'begun', 'verified',
  // Of webhooks.
  'enabled', 'secret', 'retried', 'delivered', 'failed',
];

/** Acts of the audit. A refusal has the path that was asked, without the slash at its beginning: any of the interface. */
// prettier-ignore
export const ACTS: readonly string[] = [
  'ocra/request', 'ocra/check_t',
  'validate/check', 'validate/check_s', 'validate/check_t', 'validate/check_status', 'validate/samlcheck',
  'validate/simplecheck',
  'admin/init', 'admin/loadtokens', 'admin/resync', 'admin/getsession', 'admin/dropsession', 'admin/login',
  'admin/logout', 'admin/confirmation', 'admin/confirmation/finish', 'admin/passkey/options',
  'admin/passkey/remove', 'admin/sign-in', 'admin/sign-in/finish', 'admin/sign-in/oidc/callback',
  'admin/sign-in/passkey', 'admin/sign-in/passkey-link',
  'self/enrol', 'self/enrol/cancel', 'self/enrol/finish', 'self/enrol/prove', 'self/lock', 'self/rename', 'self/sign-in',
  'self/sign-in/finish', 'self/sign-out', 'self/tokens',
  'migrate',
  'administrator/add', 'administrator/password', 'administrator/remove', 'administrator/first',
  'administrator/rehash', 'administrator/session', 'administrator/second-factor',
  'api-token/add', 'api-token/remove',
  'audit/export', 'audit/prune', 'audit/verify',
  'backup/export', 'backup/restore',
  'challenge/close-all',
  'cli/check_t',
  'configuration/set', 'configuration/remove',
  'count/repair',
  'housekeeping/run',
  'import/linotp',
  'key/add', 'key/retire', 'key/rotate',
  'policy/set', 'policy/remove',
  'realm/set', 'realm/default', 'realm/remove',
  'resolver/set', 'resolver/test', 'resolver/remove',
  'token/import', 'token/remove-pin', 'token/remove-ocra-pin', 'token/copy-pin', 'token/resync',
  'token/enable', 'token/disable', 'token/lost', 'token/reset', 'token/unassign', 'token/set',
  'token/remove', 'token/assign', 'token/tokenrealm',
  'user/add', 'user/password', 'user/remove', 'user/session',
  'webhook/add', 'webhook/set', 'webhook/rotate-secret', 'webhook/retry', 'webhook/test', 'webhook/enable',
  'webhook/disable', 'webhook/remove',
];
