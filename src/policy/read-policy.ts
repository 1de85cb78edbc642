import { listNames, splitList } from '../kernel/text.ts';
import { storedActions } from './policy-actions.ts';
import {
  type PolicySubject,
  readClients,
  readTimes,
  readUsers,
  type UserMatch,
} from './policy-conditions.ts';
import { knownScope, policyRealms, storedFault } from './policy.ts';
import { attempt, type Policy } from './stored-policy.ts';

const NOTHING = { known: new Map<string, string>(), unknown: [], withheld: new Set<string>() } as const;
/** Characters. */
const MAX_REMARK = 500;

/**
 * A stored policy whose texts are read once, when the configuration is loaded: each decision asks every policy. Another
 * version, or a manual change in the database, may have written what cannot be read here. Unknown actions are passed
 * over as `storedActions` says. With users, clients or times that cannot be read, a policy gives nothing, but still
 * takes precedence for the users that can; its `otppin` that asks for a PIN or password counts for everybody. A copy of
 * the members is a plain policy, to be read anew.
 */
export class ReadPolicy {
  readonly name: string;
  readonly scope: string;
  readonly action: string;
  readonly realm: string;
  readonly user: string;
  readonly client: string;
  readonly time: string;
  readonly active: boolean;
  readonly #read: ReturnType<typeof readTexts>;
  readonly #realms: 'all' | readonly string[];
  #fault: { readonly text: string | undefined } | undefined;

  constructor({ name, scope, action, realm, user, client, time, active }: Policy) {
    this.name = name;
    this.scope = scope;
    this.action = action;
    this.realm = realm;
    this.user = user;
    this.client = client;
    this.time = time;
    this.active = active;
    this.#read = readTexts({ scope, action, user, client, time });
    this.#realms = policyRealms({ realm });
  }

  /** The realms, lower-case, or 'all'. */
  get realms(): 'all' | readonly string[] {
    return this.#realms;
  }

  /** The reason why it gives nothing: a part other than the name cannot be read, or would not be stored. */
  get fault(): string | undefined {
    return (this.#fault ??= { text: storedFault(this) }).text;
  }

  get isUnreadable(): boolean {
    return this.fault !== undefined;
  }

  /** What of it has no effect here, after its name in a sentence; empty: nothing. */
  get remark(): string {
    const { fault } = this;
    const names = listNames(this.#read.unknown);
    const remark =
      fault === undefined
        ? `names actions without effect here: ${names}`
        : `cannot be read, and gives nothing: ${fault}`;
    return fault === undefined && names === '' ? '' : remark.slice(0, MAX_REMARK);
  }

  /** @returns true for a right that it names, and does not give: its value, or a condition, is unknown here */
  withholds(action: string): boolean {
    const { known, withheld } = this.#read;
    return withheld.has(known.has(action) ? action : '*');
  }

  /** @returns true if it names the action, or all of its scope */
  names(action: string): boolean {
    const { known } = this.#read;
    return known.has(action) || known.has('*');
  }

  /** @returns the value of an action of the scope authentication; undefined for one that it does not name */
  valueOf(action: string): string | undefined {
    return this.#read.known.get(action);
  }

  /** @returns the kind of the match of its users alone */
  matchOf(subject: PolicySubject): UserMatch {
    return this.#read.users(subject);
  }

  /** @returns the kind of the match with a user and an action, regardless of times and clients; inactive: 'nobody' */
  means(action: string, subject: PolicySubject): UserMatch {
    return this.active && this.names(action) ? this.matchOf(subject) : 'nobody';
  }

  /** @returns true if it is in force for a client (its address, or empty) at a time */
  holds(client: string, at: Date): boolean {
    return this.active && this.holdsAt(at) && this.holdsFor(client);
  }

  /** @returns true if a time is among its times */
  holdsAt(at: Date): boolean {
    return this.#read.times(at);
  }

  /** @returns true if it includes a client, its address or empty */
  holdsFor(client: string): boolean {
    return this.#read.clients(client);
  }

  /**
   * @param realms names of realms, lower-case
   * @returns true if it is for at least one of them
   */
  covers(realms: readonly string[]): boolean {
    return this.#realms === 'all' || this.#realms.some((name) => realms.includes(name));
  }
}

type PolicyTexts = Pick<Policy, 'scope' | 'action' | 'user' | 'client' | 'time'>;

function readTexts({ scope, action, user, client, time }: PolicyTexts) {
  const read = attempt(() => storedActions(knownScope(scope), action)).value ?? NOTHING;
  const { value: users } = attempt(() => readUsers(user));
  const { value: clients } = attempt(() => readClients(client));
  const { value: times } = attempt(() => readTimes(time));
  if (users !== undefined && clients !== undefined && times !== undefined) {
    return { ...read, users, clients, times };
  }
  const known = scope === 'authentication' ? strictValues(read.known) : read.known;
  const isStrict = known.has('otppin');
  const others = isStrict ? () => 'everybody' as const : readUsers(readableUsers(user));
  const ever = () => isStrict;
  const fields = { users: users ?? others, clients: clients ?? ever, times: times ?? ever };
  return { known, unknown: read.unknown, withheld: new Set(known.keys()), ...fields };
}

/** @returns those that let nobody do more */
function strictValues(known: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...known].filter(([action, value]) => action === 'otppin' && value !== '2'));
}

function readableUsers(list: string): string {
  return splitList(list)
    .filter((entry) => attempt(() => readUsers(entry)).fault === undefined)
    .join();
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

/**
 * @returns the distinct values of an action in active policies, sorted; several if policies disagree
 */
export function policyValue(
  policies: readonly ReadPolicy[],
  question: PolicyValueQuestion,
): readonly string[] {
  const { scope, action, client = '', at } = question;
  const owner = ownerOf(question);
  const values: string[] = [];
  for (const policy of policies) {
    const value = policy.scope === scope ? policy.valueOf(action) : undefined;
    if (
      value !== undefined &&
      !values.includes(value) &&
      policy.covers(owner.realms) &&
      policy.holds(client, at) &&
      isMeant(policy.means(action, owner), question)
    ) {
      values.push(value);
    }
  }
  return values.sort();
}

/** @returns true for an active policy of the scope authentication that gives the action a value */
export function givesValue(policy: ReadPolicy, action: string): boolean {
  return policy.active && policy.scope === 'authentication' && policy.valueOf(action) !== undefined;
}

/**
 * @param client the address of the client
 * @returns the values of an action for a token, as `policyValue`
 */
export function valuesForToken(
  policies: readonly ReadPolicy[],
  action: string,
  { realms, owner }: { realms: readonly string[]; owner: { login: string; resolver: string } | null },
  { client, at }: Pick<PolicyValueQuestion, 'client' | 'at'>,
): readonly string[] {
  const { login: user, resolver } = owner ?? {};
  return policyValue(policies, { scope: 'authentication', action, realms, user, resolver, client, at });
}

/** @returns the owner of the token, as policies match them */
export function ownerOf({
  user = '',
  realms,
  resolver,
}: Pick<PolicyValueQuestion, 'user' | 'realms' | 'resolver'>): PolicySubject {
  return { login: user, realms: realms.map((name) => name.toLowerCase()), resolver };
}

/** @returns true if a policy of the scope authentication that matches in this way gives its value */
export function isMeant(match: UserMatch, { user }: Pick<PolicyValueQuestion, 'user'>): boolean {
  return match === 'everybody' || (match === 'named' && user !== undefined);
}
