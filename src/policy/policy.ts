import { isServiceError } from '../kernel/errors.ts';
import { plainName, splitList } from '../kernel/text.ts';
import {
  assertEffect,
  assertSomeKnown,
  findActions,
  type FoundActions,
  mayBeForeign,
  readActions,
} from './policy-actions.ts';
import { readClients, readTimes, readUsers } from './policy-conditions.ts';
import { attempt, invalidPolicy, type Policy, POLICY_SCOPES, type PolicyScope } from './stored-policy.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    /**
     * The policy action that would give the right; or the right that the API token lacks, `scope:action`; or the
     * requested realms, of which none is visible.
     */
    'right.missing': {
      readonly policy?: { readonly scope: string; readonly action: string };
      readonly tokenRight?: string;
      readonly realms?: readonly string[];
    };
    'policy.unknown': { readonly name?: string };
    'policy.invalid': NoPayload;
    'policy.changed': NoPayload;
  }
}

/** A policy, as given by an administrator. An absent field is empty; default of `active`: true. */
export interface PolicyDraft {
  readonly name: string;
  readonly scope: string;
  readonly action: string;
  readonly realm?: string | undefined;
  readonly user?: string | undefined;
  readonly client?: string | undefined;
  readonly time?: string | undefined;
  readonly active?: boolean | undefined;
}

/** Characters of each part of a policy but its name. */
export const MAX_FIELD_LENGTH = 4096;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** Scopes whose policies require a realm. */
export const BOUND_TO_REALMS: readonly PolicyScope[] = [
  'admin',
  'monitoring',
  'authentication',
  'selfservice',
];

/** A part of a policy that makes it invalid. */
export interface PolicyFinding {
  readonly field: Exclude<keyof Policy, 'active'>;
  /** A sentence with the reason and the known values. */
  readonly message: string;
}

/**
 * @returns the validated policy, trimmed
 * @throws ServiceError 'policy.invalid' with the reason and the known values
 */
export function checkPolicy(draft: PolicyDraft): Policy {
  const policy = filledIn(draft);
  assertNone(findingsOf(policy));
  return policy;
}

/**
 * Validates as `checkPolicy` does a policy that was written for LinOTP: actions that the server does not know are
 * without effect, where the policy does not become wider without them.
 * @returns also the names of those actions
 * @throws ServiceError 'policy.invalid'
 */
export function checkForeignPolicy(draft: PolicyDraft): {
  readonly policy: Policy;
  readonly actions: FoundActions;
} {
  const policy = filledIn(draft);
  assertNone(findingsOf(policy, findActions));
  return { policy, actions: findActions(knownScope(policy.scope), policy.action) };
}

function assertNone([finding]: readonly PolicyFinding[]): void {
  if (finding !== undefined) {
    throw invalidPolicy(finding.message);
  }
}

/** A policy that was written elsewhere, as it can be kept. */
export interface KeptPolicy {
  /** Inactive where it has a fault. */
  readonly policy: Policy;
  /** Names of its actions that are without effect. */
  readonly withoutEffect: readonly string[];
  /** Why the server does not understand it, or it could become wider here; undefined: nothing is wrong. */
  readonly fault: string | undefined;
  /** True if it is inactive for that fault alone. */
  readonly isTurnedOff: boolean;
}

/** @returns the policy; inactive, and otherwise as it is, where `checkForeignPolicy` refuses it */
export function keepForeignPolicy(stored: Policy): KeptPolicy {
  try {
    const { policy, actions } = checkForeignPolicy(stored);
    return { policy, withoutEffect: actions.unknown, fault: undefined, isTurnedOff: false };
  } catch (error) {
    if (!isServiceError(error, 'policy.invalid')) {
      throw error;
    }
    return turnedOff(stored, error.message);
  }
}

/**
 * @returns the policy, inactive, where its scope or an action may be one that only LinOTP has, and would be refused or
 *   mean more here; undefined for any other
 */
export function keepClientPolicy(draft: PolicyDraft): KeptPolicy | undefined {
  const policy = filledIn(draft);
  const { scope, action } = policy;
  const isForeign = !isKnownScope(scope) || mayBeForeign(knownScope(scope), action);
  const isStorable = findingsOf(policy, findActions, STORABLE).length === 0;
  const fault = findingsOf(policy, assertSomeKnown).find(({ field }) => ['scope', 'action'].includes(field));
  if (!isForeign || !isStorable || fault === undefined) {
    return undefined;
  }
  const kept = turnedOff(policy, fault.message);
  // A scope may be a slip of the pen: also said to be inactive, it takes the place of no active policy.
  return { ...kept, isTurnedOff: kept.isTurnedOff || !isKnownScope(scope) };
}

/** @returns the policy, inactive for that fault */
export function turnedOff(stored: Policy, fault: string): KeptPolicy {
  return {
    policy: { ...stored, active: false },
    withoutEffect: [],
    fault,
    isTurnedOff: stored.active,
  };
}

/**
 * @returns undefined where it is not given
 * @throws ServiceError 'policy.invalid'
 */
export function readActive(text: string | undefined): boolean | undefined {
  switch (text?.trim().toLowerCase()) {
    case undefined:
    case '':
      return undefined;
    case 'true':
    case '1':
      return true;
    case 'false':
    case '0':
      return false;
    default:
      throw invalidPolicy('The state of a policy (active) is True or False');
  }
}

/** @returns what makes a policy invalid, at most one finding of each field; none: it is valid */
export function policyFindings(draft: PolicyDraft): readonly PolicyFinding[] {
  return findingsOf(filledIn(draft));
}

/** @returns why a stored policy has no effect: a part other than the name cannot be read; undefined: it has one */
export function storedFault(policy: Policy): string | undefined {
  return findingsOf(filledIn(policy), assertEffect).find(({ field }) => field !== 'name')?.message;
}

function filledIn(draft: PolicyDraft): Policy {
  const scope = draft.scope.trim();
  const isBound = BOUND_TO_REALMS.some((bound) => bound === scope);
  return {
    name: plainName(draft.name),
    scope,
    action: draft.action.trim(),
    realm: emptyMeans(draft.realm, isBound ? '' : '*'),
    user: emptyMeans(draft.user, isAboutOwners(scope) ? '*' : ''),
    client: emptyMeans(draft.client, ''),
    time: emptyMeans(draft.time, ''),
    active: draft.active ?? true,
  };
}

/** @returns true if the users of the scope's policies are the owners of tokens: by default all of the realms */
export function isAboutOwners(scope: string): boolean {
  return scope === 'authentication' || scope === 'selfservice';
}

/** @throws ServiceError 'policy.invalid' */
export function knownScope(text: string): PolicyScope {
  const scope = POLICY_SCOPES.find((known) => known === text);
  if (scope === undefined) {
    const shortened = text.length > 100 ? `${text.slice(0, 100)}…` : text;
    throw invalidPolicy(`Unknown scope '${shortened}'. Known: ${POLICY_SCOPES.join(', ')}.`);
  }
  return scope;
}

type PolicyCheck = readonly [
  PolicyFinding['field'],
  (policy: Policy, read: (scope: PolicyScope, action: string) => unknown) => unknown,
];
/** Checks of what is stored, whatever it means. */
const STORABLE: readonly PolicyCheck[] = [
  ['name', assertName],
  ...(['action', 'realm', 'user', 'client', 'time'] as const).map(textCheck),
];
/** The checks of a policy, in the order in which their findings are reported. */
const CHECKS: readonly PolicyCheck[] = [
  ['scope', ({ scope }) => knownScope(scope)],
  ...STORABLE,
  presenceCheck('realm', "Name the realms of the policy, or '*' for all"),
  presenceCheck('user', "Name the users of the policy, or '*' for everybody"),
  ['action', ({ scope, action }, read) => isKnownScope(scope) && read(knownScope(scope), action)],
  ['user', ({ user }) => readUsers(user)],
  ['client', ({ client }) => readClients(client)],
  ['time', ({ time }) => readTimes(time)],
];

function findingsOf(
  policy: Policy,
  read: (scope: PolicyScope, action: string) => unknown = readActions,
  checks = CHECKS,
): readonly PolicyFinding[] {
  const findings = new Map<PolicyFinding['field'], string>();
  for (const [field, check] of checks) {
    const message = findings.get(field) ?? attempt(() => check(policy, read)).fault;
    if (message !== undefined) {
      findings.set(field, message);
    }
  }
  return [...findings].map(([field, message]) => ({ field, message }));
}

function isKnownScope(text: string): boolean {
  return POLICY_SCOPES.some((known) => known === text);
}

function assertName({ name }: Policy): void {
  if (!NAME.test(name)) {
    throw invalidPolicy('The name of a policy has 1 to 128 letters, digits, dots, dashes and underscores');
  }
}

function textCheck(field: Exclude<PolicyFinding['field'], 'name' | 'scope'>): PolicyCheck {
  return [
    field,
    ({ [field]: text }) => {
      if (text.length > MAX_FIELD_LENGTH || /\p{Cc}|\p{Cs}/u.test(text)) {
        throw invalidPolicy(
          `The ${field} of a policy has at most ${MAX_FIELD_LENGTH} characters, none of them a control character`,
        );
      }
    },
  ];
}

function presenceCheck(field: 'realm' | 'user', request: string): PolicyCheck {
  return [
    field,
    ({ [field]: list }) => {
      if (splitList(list).length === 0) {
        throw invalidPolicy(request);
      }
    },
  ];
}

/** @returns the realms of a policy, lower-case, or 'all' */
export function policyRealms(policy: Pick<Policy, 'realm'>): 'all' | readonly string[] {
  const names = splitList(policy.realm).map((name) => name.toLowerCase());
  return names.includes('*') ? 'all' : names;
}

function emptyMeans(text: string | undefined, meaning: string): string {
  const trimmed = (text ?? '').trim();
  return trimmed === '' ? meaning : trimmed;
}
