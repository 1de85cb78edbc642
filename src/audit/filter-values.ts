import { ServiceError } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/text.ts';

export interface AuditPeriod {
  readonly since?: Date | undefined;
  /** Excludes this instant itself. */
  readonly until?: Date | undefined;
}

/** Selection of rows: all given fields must match. */
export interface AuditFilter extends AuditPeriod {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  /** Rows about any of these; none of them means no row. */
  readonly subjects?: readonly string[] | undefined;
  readonly realm?: string | undefined;
  readonly outcome?: string | undefined;
  readonly client?: string | undefined;
  readonly requestId?: string | undefined;
  readonly transaction?: string | undefined;
  readonly limit: number;
  /** The number of newest rows to skip; default 0. */
  readonly offset?: number | undefined;
  /** The last row of the page before. */
  readonly after?: RowPlace | undefined;
  /** Realms of which the subject is in at least one. */
  readonly within?: readonly string[] | undefined;
  /** Realms of which the subject is in no other one. */
  readonly entirelyWithin?: readonly string[] | undefined;
}

/** The place of a row in the order of time. */
export interface RowPlace {
  /** As `AuditRow.at`. */
  readonly at: string;
  readonly id: string;
}

/** The first words of outcomes; details may follow: `changed owner, realms`, `refused: password, 812 times`. */
// prettier-ignore
const OUTCOME_WORDS: readonly string[] = [
  // Of challenges and responses.
  'issued', 'accepted', 'wrong', 'exhausted', 'locked', 'closed', 'dropped', 'expired', 'disabled',
  'unverifiable', 'declined', 'reported',
  // Of administration.
  'created', 'changed', 'stored', 'removed', 'being', 'default', 'no', 'imported', 'done', 'refused',
  'session', 'password', 'second', 'passkey', 'added', 'current', 'sealed', 'retired',
  'confirmed', 'copied', 'renamed',
  // Of upkeep.
  'migrated', 'mended', 'pruned', 'handed', 'restored', 'begun', 'verified',
  // Of webhooks.
  'enabled', 'secret', 'retried', 'delivered', 'failed',
];

/** Actions by the part before the slash. Requests that are refused have the path of their endpoint as action. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  ocra: ['request', 'check_t', 'checkstatus', 'getActivationCode', 'calculateOtp'],
  validate: ['check', 'check_s', 'check_t', 'simplecheck', 'samlcheck', 'check_status'],
  // prettier-ignore
  admin: [
    'init', 'getsession', 'dropsession', 'login', 'logout', 'loadtokens', 'resync', 'show', 'set',
    'reset', 'enable', 'disable', 'remove', 'assign', 'unassign', 'tokenrealm', 'transaction', 'userlist',
    'sign-in', 'sign-in/finish', 'sign-in/passkey', 'sign-in/passkey-link', 'sign-in/oidc',
    'sign-in/oidc/callback', 'confirmation', 'confirmation/finish', 'password',
    'administrators', 'administrators/add', 'administrators/remove', 'administrators/password',
    'administrators/second-factor', 'administrators/second-factor/remove',
    'administrators/passkey-link', 'api-tokens', 'api-tokens/add', 'api-tokens/remove',
    'passkeys', 'passkeys/options', 'passkeys/remove', 'sessions', 'sessions/end',
    'overview', 'answeraddress', 'rights', 'search', 'person', 'person/sessions/end', 'token', 'tokens', 'checkstatus', 'getTokenOwner',
    'check_serial', 'setPin', 'copyTokenPin', 'testresolver',
  ],
  // prettier-ignore
  system: [
    'setPolicy', 'getPolicy', 'delPolicy', 'setRealm', 'getRealms', 'delRealm', 'setDefaultRealm',
    'getDefaultRealm', 'setResolver', 'getResolvers', 'getResolver', 'delResolver',
    'setConfig', 'setDefault', 'getConfig', 'delConfig', 'settings', 'settingConsequences',
    'policyNames', 'explainPolicy', 'policyConsequences', 'firststeps', 'health',
    'testResolver', 'resolverKinds', 'realmConsequences', 'resolverConsequences', 'userConsequences',
    'users/add', 'users/password', 'users/remove', 'keys',
    'webhooks', 'webhooks/deliveries', 'webhooks/add', 'webhooks/set', 'webhooks/enable', 'webhooks/disable',
    'webhooks/test', 'webhooks/retry', 'webhooks/rotate-secret', 'webhooks/remove',
    'getPolicyDef', 'getSupportInfo', 'isSupportValid', 'importPolicy', 'getPolicy/policy.cfg',
  ],
  self: [
    'sign-in',
    'sign-in/finish',
    'sign-out',
    'tokens',
    'rename',
    'lock',
    'enrol',
    'enrol/finish',
    'enrol/cancel',
  ],
  monitoring: ['tokens', 'userinfo', 'activeUsers', 'config', 'license', 'storageEncryption'],
  audit: ['search', 'values', 'export', 'verify', 'verification', 'prune'],
  administrator: ['add', 'password', 'remove', 'first', 'rehash', 'session', 'second-factor'],
  'api-token': ['add', 'remove'],
  backup: ['export', 'restore'],
  challenges: ['close-all'],
  configuration: ['set', 'remove'],
  count: ['mend'],
  housekeeping: ['run'],
  import: ['linotp'],
  keys: ['add', 'retire', 'rotate'],
  policy: ['set', 'remove'],
  realm: ['set', 'default', 'remove'],
  resolver: ['set', 'test', 'remove'],
  token: [
    'import',
    'remove-pin',
    'remove-ocra-pin',
    'copy-pin',
    'resync',
    'enable',
    'disable',
    'lost',
    'reset',
    'unassign',
    'set',
    'remove',
    'assign',
    'tokenrealm',
  ],
  user: ['add', 'password', 'remove', 'session'],
  webhook: ['add', 'set', 'rotate-secret', 'retry', 'test', 'enable', 'disable', 'remove'],
  cli: ['check_t'],
};

const PLAIN_ACTIONS: readonly string[] = ['migrate', 'metrics', 'ocra'];

export const KNOWN_ACTIONS: ReadonlySet<string> = new Set([
  ...PLAIN_ACTIONS,
  ...Object.entries(ACTIONS).flatMap(([folder, names]) => names.map((name) => `${folder}/${name}`)),
]);

export interface AuditValues {
  /** Sorted. */
  readonly actions: readonly string[];
  /** First words of outcomes, sorted. */
  readonly outcomes: readonly string[];
}

export function auditValues(): AuditValues {
  return { actions: [...KNOWN_ACTIONS].sort(), outcomes: [...OUTCOME_WORDS].sort() };
}

/** @returns false for an outcome that no audit row can have, whatever details follow its first word */
export function isKnownOutcome(outcome: string): boolean {
  return OUTCOME_WORDS.includes(/^[a-z]*/.exec(outcome)?.[0] ?? '');
}

/** @throws ServiceError 'parameter.invalid' for an action or an outcome that no audit row can have */
export function assertKnownFilter({ action, outcome }: Pick<AuditFilter, 'action' | 'outcome'>): void {
  if (action !== undefined && !KNOWN_ACTIONS.has(action)) {
    throw unknownValue('action', action, KNOWN_ACTIONS);
  }
  if (outcome !== undefined && !isKnownOutcome(outcome)) {
    throw unknownValue('outcome', outcome, OUTCOME_WORDS);
  }
}

function unknownValue(parameter: 'action' | 'outcome', value: string, known: Iterable<string>): ServiceError {
  const fault = `There is no ${parameter} '${value.slice(0, 64)}' in the audit`;
  return new ServiceError('parameter.invalid', `${fault}${didYouMean(value.slice(0, 64), known)}`, {
    parameter,
  });
}
