import { nearestName } from '../kernel/nearest-name.ts';

/** Edits of a typing error: outcomes and actions of other forms exist, too. */
const CLOSE = 2;

/** The usual outcomes of audit rows; some rows have longer ones, such as `removed, from 3 tokens`. */
const OUTCOMES = [
  ...['accepted', 'wrong', 'exhausted', 'locked', 'closed', 'dropped', 'expired', 'disabled', 'unverifiable'],
  ...['issued', 'created', 'changed', 'stored', 'removed', 'imported', 'imported anew', 'added', 'current'],
  ...['retired', 'done', 'refused', 'default realm', 'no default realm', 'session opened', 'session closed'],
  ...['password changed', 'password hash renewed', 'refused: password', 'refused: no right'],
  ...['refused: cross-site', 'refused: no such transaction', 'refused: nothing is open'],
  ...['refused: too many passwords', 'refused: session', 'refused: login', 'refused: csrf token'],
];

const ACTIONS = [
  ...['ocra/request', 'ocra/check_t', 'validate/check', 'validate/check_s', 'validate/check_t'],
  ...['admin/init', 'admin/login', 'admin/logout', 'admin/getsession', 'admin/dropsession'],
  ...['token/enable', 'token/disable', 'token/reset', 'token/assign', 'token/unassign', 'token/remove'],
  ...['token/set', 'token/tokenrealm', 'token/resync', 'token/import', 'import/linotp'],
  ...['administrator/add', 'administrator/first', 'administrator/password', 'administrator/rehash'],
  ...['administrator/remove', 'administrator/session', 'api-token/add', 'api-token/remove'],
  ...['user/add', 'user/password', 'user/remove', 'realm/set', 'realm/default', 'realm/remove'],
  ...['resolver/set', 'resolver/remove', 'policy/set', 'policy/remove'],
  ...['configuration/set', 'configuration/remove', 'licence/install', 'licence/remove'],
  ...['keys/add', 'keys/rotate', 'keys/retire', 'audit/export', 'audit/prune', 'count/mend'],
  ...['backup/export', 'backup/restore', 'housekeeping/run', 'migrate'],
];

/** @returns a clause about a filter of the audit that is probably misspelt; undefined: none is */
export function misspeltFilter(filter: {
  readonly outcome?: string | undefined;
  readonly action?: string | undefined;
}): string | undefined {
  const filters = [
    { what: 'outcome', given: filter.outcome, known: OUTCOMES },
    { what: 'action', given: filter.action, known: ACTIONS },
  ];
  for (const { what, given, known } of filters) {
    const nearest = given === undefined ? undefined : nearestName(given, known, CLOSE);
    if (nearest !== undefined && nearest !== given) {
      return `no row has the ${what} ${given ?? ''}: did you mean '${nearest}'?`;
    }
  }
  return undefined;
}
