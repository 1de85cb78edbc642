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
export const BOUND_TO_REALMS: readonly PolicyScope[] = ['admin', 'monitoring', 'authentication'];

/** A part of a policy that makes it invalid. */
export interface PolicyProblem {
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
  const [problem] = problemsOf(policy);
  if (problem !== undefined) {
    throw invalid(problem.message);
  }
  return policy;
}

/** @returns what makes a policy invalid, at most one problem of each field; none: it is valid */
export function policyProblems(draft: PolicyDraft): readonly PolicyProblem[] {
  return problemsOf(filledIn(draft));
}

function filledIn(draft: PolicyDraft): Policy {
  const scope = draft.scope.trim();
  const isBound = BOUND_TO_REALMS.some((bound) => bound === scope);
  return {
    name: draft.name.trim(),
    scope,
    action: draft.action.trim(),
    realm: emptyMeans(draft.realm, isBound ? '' : '*'),
    user: emptyMeans(draft.user, scope === 'authentication' ? '*' : ''),
    client: emptyMeans(draft.client, ''),
    time: emptyMeans(draft.time, ''),
    active: draft.active ?? true,
  };
}

/** @throws ServiceError 'policy.invalid' */
function knownScope(text: string): PolicyScope {
  const scope = POLICY_SCOPES.find((known) => known === text);
  if (scope === undefined) {
    throw invalid(
      `Unknown scope '${shorten(text)}'${didYouMean(text, POLICY_SCOPES, '.')} Known: ${POLICY_SCOPES.join(', ')}.`,
    );
  }
  return scope;
}

/** The checks of a policy, in the order in which their problems are reported. */
const CHECKS: readonly (readonly [PolicyProblem['field'], (policy: Policy) => unknown])[] = [
  ['scope', ({ scope }) => knownScope(scope)],
  ['name', assertName],
  ...(['action', 'realm', 'user', 'client', 'time'] as const).map(
    (field) =>
      [
        field,
        (policy: Policy) => {
          assertText(policy, field);
        },
      ] as const,
  ),
  ['realm', assertRealm],
  ['user', assertUser],
  ['action', ({ scope, action }) => isKnownScope(scope) && readActions(knownScope(scope), action)],
  ['user', ({ user }) => readUsers(user)],
  ['client', ({ client }) => readClients(client)],
  ['time', ({ time }) => readTimes(time)],
];

function problemsOf(policy: Policy): readonly PolicyProblem[] {
  const problems = new Map<PolicyProblem['field'], string>();
  for (const [field, check] of CHECKS) {
    try {
      if (!problems.has(field)) {
        check(policy);
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) {
        throw error;
      }
      problems.set(field, error.message);
    }
  }
  return [...problems].map(([field, message]) => ({ field, message }));
}

function isKnownScope(text: string): boolean {
  return POLICY_SCOPES.some((known) => known === text);
}

function assertName({ name }: Policy): void {
  if (!NAME.test(name)) {
    throw invalid('The name of a policy has 1 to 128 letters, digits, dots, dashes and underscores');
  }
}

function assertText(policy: Policy, field: Exclude<PolicyProblem['field'], 'name' | 'scope'>): void {
  if (policy[field].length > MAX_FIELD_LENGTH || /\p{Cc}|\p{Cs}/u.test(policy[field])) {
    throw invalid(
      `The ${field} of a policy has at most ${MAX_FIELD_LENGTH} characters, none of them a control character`,
    );
  }
}

function assertRealm({ realm }: Policy): void {
  if (splitList(realm).length === 0) {
    throw invalid("Name the realms of the policy, or '*' for all");
  }
}

function assertUser({ user }: Policy): void {
  if (splitList(user).length === 0) {
    throw invalid("Name the users of the policy, or '*' for everybody");
  }
}

/** A policy that is read once and asked often, regardless of its time and clients. */
export interface ReadPolicy {
  /** @returns true if the policy names the action, or all of its scope */
  readonly names: (action: string) => boolean;
  /** @returns the kind of the match with a user */
  readonly match: (subject: PolicySubject) => UserMatch;
}

/**
 * Reads a policy. An inactive or unreadable one (which only a manual change in the database can cause) names no action
 * and matches no user.
 */
export function readPolicy(policy: Policy): ReadPolicy {
  return readable<ReadPolicy>(
    () => {
      const actions = policy.active ? readActions(knownScope(policy.scope), policy.action) : new Map();
      return {
        names: (action) => actions.has(action) || actions.has('*'),
        match: policy.active ? readUsers(policy.user) : () => 'nobody',
      };
    },
    { names: () => false, match: () => 'nobody' },
  );
}

/**
 * Matches a policy with a user and an action, regardless of its time and clients. An inactive or unreadable policy
 * (which only a manual change in the database can cause) matches no user.
 * @returns the kind of the match
 */
export function policyMeans(policy: Policy, action: string, subject: PolicySubject): UserMatch {
  return readable(
    () => (policy.active && namesAction(policy, action) ? readUsers(policy.user)(subject) : 'nobody'),
    'nobody',
  );
}

/** @returns true if a policy names an action, or all of its scope; false for an unreadable one */
export function namesAction(policy: Pick<Policy, 'scope' | 'action'>, action: string): boolean {
  return readable(() => {
    const actions = readActions(knownScope(policy.scope), policy.action);
    return actions.has(action) || actions.has('*');
  }, false);
}

/** @returns true if a policy is in force for a client (its address, or empty) at a time; false for an unreadable one */
export function policyHolds(policy: Policy, client: string, at: Date): boolean {
  return policy.active && holdsAt(policy, at) && holdsFor(policy, client);
}

/** @returns true if a time is among the times of a policy; false for an unreadable one */
export function holdsAt({ time }: Pick<Policy, 'time'>, at: Date): boolean {
  return readable(() => readTimes(time)(at), false);
}

/** @returns true if a policy includes a client, its address or empty; false for an unreadable one */
export function holdsFor({ client: clients }: Pick<Policy, 'client'>, client: string): boolean {
  return readable(() => readClients(clients)(client), false);
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
    .filter((policy) => isMeant(policyMeans(policy, action, subject), question))
    .flatMap((policy) => readActions(scope, policy.action).get(action) ?? []);
  return [...new Set(values)].sort();
}

/** @returns true if a policy of the scope authentication that matches in this way gives its value */
export function isMeant(match: UserMatch, { user }: Pick<PolicyValueQuestion, 'user'>): boolean {
  return match === 'everybody' || (match === 'named' && user !== undefined);
}

/** @param realms names of realms, lower-case. @returns true if a policy is for at least one of them */
export function coversRealm(policy: Pick<Policy, 'realm'>, realms: readonly string[]): boolean {
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
