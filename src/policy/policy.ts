import { ServiceError } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/nearest-name.ts';
import { readActions } from './policy-actions.ts';
import { readClients } from './policy-client.ts';
import { readTimes } from './policy-time.ts';
import { type PolicySubject, readUsers, splitList, type UserMatch } from './policy-users.ts';
import { type Policy, POLICY_SCOPES, type PolicyScope } from './stored-policy.ts';

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

/** The query for a value of the scope authentication. */
export interface PolicyValueQuestion {
  readonly scope: 'authentication';
  readonly action: string;
  /** Names of the realms of the token. */
  readonly realms: readonly string[];
  /** The login of the token's owner; without one, only policies for everybody apply. */
  readonly user?: string | undefined;
  /** The name of the owner's resolver. */
  readonly resolver?: string | undefined;
  readonly client?: string | undefined;
  readonly at: Date;
}

const MAX_FIELD_LENGTH = 4096;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** Scopes whose policies require a realm. */
const BOUND_TO_REALMS: readonly PolicyScope[] = ['admin', 'monitoring', 'authentication'];

/**
 * @returns the validated policy, trimmed
 * @throws ServiceError 'policy.invalid' with the reason and the known values
 */
export function checkPolicy(draft: PolicyDraft): Policy {
  const scope = knownScope(draft.scope);
  const policy: Policy = {
    name: draft.name.trim(),
    scope,
    action: draft.action.trim(),
    realm: emptyMeans(draft.realm, BOUND_TO_REALMS.includes(scope) ? '' : '*'),
    user: emptyMeans(draft.user, scope === 'authentication' ? '*' : ''),
    client: emptyMeans(draft.client, ''),
    time: emptyMeans(draft.time, ''),
    active: draft.active ?? true,
  };
  assertReadable(policy);
  return policy;
}

/** @throws ServiceError 'policy.invalid' */
function knownScope(text: string): PolicyScope {
  const scope = POLICY_SCOPES.find((known) => known === text.trim());
  if (scope === undefined) {
    throw invalid(
      `Unknown scope '${shorten(text)}'${didYouMean(text, POLICY_SCOPES, '.')} Known: ${POLICY_SCOPES.join(', ')}.`,
    );
  }
  return scope;
}

function assertReadable(policy: Policy): void {
  if (!NAME.test(policy.name)) {
    throw invalid('The name of a policy has 1 to 128 letters, digits, dots, dashes and underscores');
  }
  for (const field of ['action', 'realm', 'user', 'client', 'time'] as const) {
    if (policy[field].length > MAX_FIELD_LENGTH || /\p{Cc}|\p{Cs}/u.test(policy[field])) {
      throw invalid(
        `The ${field} of a policy has at most ${MAX_FIELD_LENGTH} characters, none of them a control character`,
      );
    }
  }
  if (splitList(policy.realm).length === 0) {
    throw invalid("Name the realms of the policy, or '*' for all");
  }
  if (splitList(policy.user).length === 0) {
    throw invalid("Name the users of the policy, or '*' for everybody");
  }
  readActions(knownScope(policy.scope), policy.action);
  readUsers(policy.user);
  readClients(policy.client);
  readTimes(policy.time);
}

/**
 * Matches a policy with a user and an action, regardless of its time and clients. An inactive or unreadable policy
 * (which only a manual change in the database can cause) matches no user.
 * @returns the kind of the match
 */
export function policyMeans(policy: Policy, action: string, subject: PolicySubject): UserMatch {
  return readable((): UserMatch => {
    const actions = policy.active
      ? readActions(knownScope(policy.scope), policy.action)
      : new Map<string, string>();
    return actions.has(action) || actions.has('*') ? readUsers(policy.user)(subject) : 'nobody';
  }, 'nobody');
}

/** @returns true if a policy is in force for a client (its address, or empty) at a time; false for an unreadable one */
export function policyHolds(policy: Policy, client: string, at: Date): boolean {
  return readable(
    () => policy.active && readTimes(policy.time)(at) && readClients(policy.client)(client),
    false,
  );
}

/** @returns the realms of a policy, lower-case, or 'all' */
export function policyRealms(policy: Pick<Policy, 'realm'>): 'all' | readonly string[] {
  const names = splitList(policy.realm).map((name) => name.toLowerCase());
  return names.includes('*') ? 'all' : names;
}

/**
 * @returns the distinct values of an action in active policies, sorted; several if policies disagree
 */
export function policyValue(policies: readonly Policy[], question: PolicyValueQuestion): readonly string[] {
  const { scope, action, client = '', at } = question;
  const realms = question.realms.map((name) => name.toLowerCase());
  const subject: PolicySubject = { login: question.user ?? '', realms, resolver: question.resolver };
  const values = policies
    .filter((policy) => policy.scope === scope && coversRealm(policy, realms))
    .filter((policy) => policyHolds(policy, client, at))
    .filter((policy) => {
      const match = policyMeans(policy, action, subject);
      return match === 'everybody' || (match === 'named' && question.user !== undefined);
    })
    .flatMap((policy) => readActions(scope, policy.action).get(action) ?? []);
  return [...new Set(values)].sort();
}

function coversRealm(policy: Policy, realms: readonly string[]): boolean {
  const covered = policyRealms(policy);
  return covered === 'all' || covered.some((name) => realms.includes(name));
}

function readable<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError) {
      return otherwise;
    }
    throw error;
  }
}

function emptyMeans(text: string | undefined, meaning: string): string {
  const trimmed = (text ?? '').trim();
  return trimmed === '' ? meaning : trimmed;
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function invalid(message: string): ServiceError {
  return new ServiceError('policy.invalid', message);
}
