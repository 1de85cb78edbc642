import { z } from 'zod';
import { type Clock, parsePastInstant } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { readAddress } from '../kernel/networks.ts';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import type { Caller, Principal } from '../policy/caller.ts';
import {
  EXPLAINED_RIGHT,
  EXPLAINED_VALUE,
  explainRight,
  explainValue,
  remediesFor,
} from '../policy/explanation.ts';
import type { AccessControl } from '../policy/access-control.ts';
import { type PolicyBase, allRights, type Right } from '../policy/granting.ts';
import { knownActions } from '../policy/policy-actions.ts';
import { type PolicyNames, policyNames } from '../policy/policy-names.ts';
import { PERSON } from '../policy/policy-conditions.ts';
import { RIGHT_SCOPES } from '../policy/stored-policy.ts';
import type { AuditPage, AuditPageRequest, AuditReading } from './audit-reading.ts';
import type { AuditRow } from './audit-row.ts';

/** The circumstances of a question about policies. */
interface Circumstances {
  /** A realm in any case; undefined: any. */
  readonly realm?: string | undefined;
  /** An address; undefined or empty: none, which fits only policies for any client. */
  readonly client?: string | undefined;
  /** A date, a time or a duration back from now; undefined or empty: now. */
  readonly time?: string | undefined;
}

/** The question: the rights of whom, where, from where and when. */
interface RightsQuestion extends Circumstances {
  /** An administrator, or `oidc:NAME`. */
  readonly administrator: string;
  /** The groups of a person who signs in by single sign-on. */
  readonly groups?: readonly string[] | undefined;
}

/** The question: the values of the scope authentication for whom, from where and when. */
interface ValuesQuestion extends Circumstances {
  /** The login of a token's owner; undefined: the token has none. */
  readonly user?: string | undefined;
  /** The resolver of the owner. */
  readonly resolver?: string | undefined;
}

const strings = z.array(z.string());

/** The answer, and the question as it was understood. */
export const RIGHTS = z.object({
  administrator: z.string(),
  groups: strings.optional().describe('of a person who signs in by single sign-on'),
  // True for people who sign in by single sign-on.
  isKnown: z.boolean().describe('false: there is no administrator of that name'),
  realm: z.string().optional(),
  client: z.string(),
  at: z.date(),
  rights: z.array(EXPLAINED_RIGHT),
});

/** The answer, and the question as it was understood. */
export const VALUES = z.object({
  user: z.string().optional(),
  realm: z.string().optional(),
  client: z.string(),
  at: z.date(),
  values: z.array(EXPLAINED_VALUE),
});

/** A refusal by the policies as they are now. */
export const REFUSAL = RIGHTS.extend({
  refusal: z.object({
    requestId: z.string(),
    at: z.date(),
    endpoint: z.string(),
    right: z
      .object({ scope: z.string(), action: z.string() })
      .optional()
      .describe('absent: the audit does not name it'),
    isByApiToken: z.boolean().describe('the API token lacked the right, whatever the policies say'),
  }),
  // None where another remedy is needed.
  remedies: strings.describe('policies that would give the right if they named its action, too'),
  // Oldest first.
  changes: z
    .array(
      z.object({
        policy: z.string().meta({ column: 'CHANGED POLICY' }),
        kind: z.enum(['set', 'removed']).meta({ column: 'HOW' }),
        administrator: z.string().meta({ column: 'BY' }),
        at: z.date().meta({ column: 'AT' }),
      }),
    )
    .optional()
    .describe('changes of policies since the refusal; absent: the caller may not see them'),
});

interface RightsExplanation extends ReadonlyDeep<z.output<typeof RIGHTS>> {
  /** Undefined for administrators of this server. */
  readonly groups: readonly string[] | undefined;
  readonly realm: string | undefined;
}

interface ValuesExplanation extends ReadonlyDeep<z.output<typeof VALUES>> {
  readonly user: string | undefined;
  readonly realm: string | undefined;
}

type PublishedRefusal = ReadonlyDeep<z.output<typeof REFUSAL>>;
type PolicyChange = NonNullable<PublishedRefusal['changes']>[number];

interface RefusalExplanation extends RightsExplanation, Pick<PublishedRefusal, 'refusal' | 'remedies'> {
  /** Undefined: the caller may not see them. */
  readonly changes: readonly PolicyChange[] | undefined;
}

/** Explains the decisions that follow from the policies. Reads only. */
export class ExplanationService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: { current(): Promise<PolicyBase> };
    readonly administrators: { list(): Promise<readonly { readonly name: string }[]> };
    readonly access: AccessControl;
    readonly audit: Pick<AuditReading, 'page'>;
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /** @returns the names that policies may use */
  async names(): Promise<PolicyNames> {
    const base = await this.#deps.configuration.current();
    return policyNames(base, await this.#administrators());
  }

  /** @throws ServiceError 'realm.unknown'; 'parameter.invalid' for groups of an administrator, or a client without an address */
  async explainRights(question: RightsQuestion): Promise<RightsExplanation> {
    const base = await this.#deps.configuration.current();
    return this.#explain(base, question, this.#at(question), allRights());
  }

  /** @throws ServiceError 'realm.unknown', 'parameter.invalid' */
  async explainValues(question: ValuesQuestion): Promise<ValuesExplanation> {
    const base = await this.#deps.configuration.current();
    const { realm, client } = circumstancesOf(base, question);
    const at = this.#at(question);
    const user = nonEmpty(question.user);
    const resolver = nonEmpty(question.resolver);
    const subject = {
      scope: 'authentication',
      realms: realm === undefined ? [] : [realm],
      user,
      resolver,
    } as const;
    const values = knownActions('authentication').map((action) =>
      explainValue(base.policies, { ...subject, action, client, at }),
    );
    return { user, realm, client, at, values };
  }

  /**
   * Explains the refusal of a request by its rows in the audit, which takes the right `admin:audit`, too.
   * @param groups those of a person who signed in by single sign-on: the audit does not name them
   * @throws ServiceError 'parameter.invalid' where the audit has no such refusal that the caller may see, or is
   *   too long
   */
  async explainRefusal(
    caller: Caller,
    requestId: string,
    groups?: readonly string[],
  ): Promise<RefusalExplanation> {
    const base = await this.#deps.configuration.current();
    const reading = new RefusedRightSearch(this.#deps, caller);
    const refusal = await reading.find(requestId);
    if (refusal === undefined) {
      throw invalid(
        'request',
        'The audit shows no refusal for want of a right with this request id, or you may not see it. ' +
          'Of many alike refusals only the first ones have rows of their own: ask by name, address and time.',
      );
    }
    const { administrator, client, at } = refusal;
    const realm = base.realms.find(({ name }) => name === refusal.realm.toLowerCase())?.name;
    const isPerson = administrator.startsWith(PERSON);
    const question = { administrator, client, realm, ...(isPerson && { groups }) };
    const { right, isByApiToken } = refusal;
    const explanation = await this.#explain(base, question, at, right === undefined ? allRights() : [right]);
    const isLacking =
      right !== undefined && !isByApiToken && explanation.rights.some((one) => !one.isAllowed);
    return {
      ...explanation,
      refusal,
      remedies: isLacking ? remediesFor(base, principalOf(explanation), right, at, realm) : [],
      changes: await reading.policyChangesSince(at),
    };
  }

  async #explain(
    base: PolicyBase,
    question: RightsQuestion,
    at: Date,
    rights: readonly Right[],
  ): Promise<RightsExplanation> {
    const { realm, client } = circumstancesOf(base, question);
    const administrator = question.administrator.trim();
    const groups = groupsOf(administrator, question.groups);
    const principal = principalOf({ administrator, groups, client });
    return {
      administrator,
      groups,
      realm,
      client,
      at,
      isKnown: groups !== undefined || (await this.#administrators()).includes(administrator),
      rights: rights.map((right) => explainRight(base, principal, right, at, realm)),
    };
  }

  #at({ time }: Circumstances): Date {
    const now = this.#deps.clock.now();
    const given = nonEmpty(time);
    return given === undefined ? now : parsePastInstant(given, now, 'time');
  }

  async #administrators(): Promise<readonly string[]> {
    return (await this.#deps.administrators.list()).map(({ name }) => name);
  }
}

/** @throws ServiceError 'realm.unknown', 'parameter.invalid' */
function circumstancesOf(
  { realms }: PolicyBase,
  { realm, client = '' }: Circumstances,
): { readonly realm: string | undefined; readonly client: string } {
  const name = nonEmpty(realm)?.toLowerCase();
  if (name !== undefined && !realms.some((known) => known.name === name)) {
    const shortened = name.slice(0, 128);
    throw new ServiceError('realm.unknown', `There is no realm '${shortened}'`, { name: shortened });
  }
  const address = client.trim();
  if (address !== '' && readAddress(address) === undefined) {
    throw invalid('client', `'${address.slice(0, 100)}' is not an address, such as 10.0.0.5 or 2001:db8::7`);
  }
  return { realm: name, client: address };
}

function principalOf({
  administrator,
  groups,
  client,
}: Pick<RightsExplanation, 'administrator' | 'groups' | 'client'>): Principal {
  return { administrator, groups, rights: ['*'], operator: false, client };
}

/**
 * @returns undefined for an administrator of this server
 * @throws ServiceError 'parameter.invalid'
 */
function groupsOf(
  administrator: string,
  groups: readonly string[] | undefined,
): readonly string[] | undefined {
  if (administrator === '') {
    throw invalid('administrator', 'Name the administrator');
  }
  if (administrator.startsWith(PERSON)) {
    return groups ?? [];
  }
  if (groups !== undefined && groups.length > 0) {
    throw invalid('groups', `Only people who sign in by single sign-on (${PERSON}NAME) have groups`);
  }
  return undefined;
}

function nonEmpty(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}

function invalid(parameter: string, message: string): ServiceError {
  return new ServiceError('parameter.invalid', message, { parameter });
}

/** A request that was refused for want of a right. */
interface RefusedRight {
  readonly requestId: string;
  /** The administrator, or `oidc:NAME`. */
  readonly administrator: string;
  /** The endpoint: `admin/init`. */
  readonly endpoint: string;
  /** Undefined: the audit does not name it. */
  readonly right: Right | undefined;
  /** True if the API token lacked the right, whatever the policies say. */
  readonly isByApiToken: boolean;
  /** The address. */
  readonly client: string;
  /** The realm that the request named; empty where it named none. */
  readonly realm: string;
  readonly at: Date;
}

/** As `http/refused-requests.ts` writes it; of several alike ones, their number follows. */
const NO_RIGHT =
  /^refused: no right(?: (?<scope>\w+):(?<action>\w+))?(?: \*)?(?<token> in the API token)?(?:,|$)/;
/** The most rows of one request, and the most changes of policies of each kind. */
const MAX_ROWS = 100;
/** Of one explanation. A page of rare rows reads a part of the trail: see `AuditStore.searchStep`. */
const MAX_PAGES = 80;
/** Milliseconds after which an explanation reads no further page: the storage may be slow. */
const MAX_TIME_MS = 30_000;
const KINDS = [
  ['policy/set', 'set'],
  ['policy/remove', 'removed'],
] as const;

/**
 * The searches of one explanation for refusals for want of a right, and for changes of policies, within one number of
 * pages and one time. Takes the right `admin:audit`. Each method throws ServiceError 'right.missing', and
 * 'parameter.invalid' at these bounds.
 */
export class RefusedRightSearch {
  readonly #deps;
  readonly #caller: Caller;
  readonly #end = performance.now() + MAX_TIME_MS;
  #pagesLeft = MAX_PAGES;

  constructor(
    dependencies: {
      readonly audit: Pick<AuditReading, 'page'>;
      readonly access: AccessControl;
      readonly configuration: { current(): Promise<PolicyBase> };
    },
    caller: Caller,
  ) {
    this.#deps = dependencies;
    this.#caller = caller;
  }

  /** @returns undefined where there is none that the caller may see */
  async find(requestId: string): Promise<RefusedRight | undefined> {
    for await (const rows of this.#pages({ requestId })) {
      const found = rows.map(readRefusal).find((refusal) => refusal !== undefined);
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  }

  /** @returns the changes, oldest first; undefined if the caller may not see them */
  async policyChangesSince(at: Date): Promise<readonly PolicyChange[] | undefined> {
    const { access, configuration } = this.#deps;
    const { grant } = await access.authorizeAdmin(configuration, this.#caller, 'audit');
    if (grant.realms !== 'all') {
      // Policies are in no realm.
      return undefined;
    }
    const found: PolicyChange[] = [];
    for (const [action, kind] of KINDS) {
      const changes: PolicyChange[] = [];
      for await (const rows of this.#pages({ action, since: at })) {
        changes.push(
          ...rows.map((row) => ({
            policy: row.subject,
            kind,
            administrator: row.actor,
            at: new Date(row.at),
          })),
        );
        if (changes.length >= MAX_ROWS) {
          break;
        }
      }
      found.push(...changes.slice(0, MAX_ROWS));
    }
    return found.sort((one, other) => one.at.getTime() - other.at.getTime());
  }

  async *#pages(
    requested: Pick<AuditPageRequest, 'requestId' | 'action' | 'since'>,
  ): AsyncGenerator<AuditPage['rows']> {
    let cursor: string | undefined;
    do {
      this.#assertWithinBounds();
      this.#pagesLeft -= 1;
      const { rows, next } = await this.#deps.audit.page(this.#caller, {
        ...requested,
        limit: MAX_ROWS,
        cursor,
      });
      yield rows;
      cursor = next ?? undefined;
    } while (cursor !== undefined);
  }

  /** No fault that passes: the same question would read as much again. @throws ServiceError 'parameter.invalid' */
  #assertWithinBounds(): void {
    const why =
      this.#pagesLeft === 0
        ? 'is too long to be searched so far back'
        : performance.now() > this.#end
          ? 'takes too long to be searched so far back'
          : undefined;
    if (why !== undefined) {
      throw new ServiceError('parameter.invalid', `The audit ${why}: ask by name, address and time`, {
        parameter: 'request',
      });
    }
  }
}

/** @returns undefined for a row about anything else */
function readRefusal(row: AuditRow): RefusedRight | undefined {
  const refused = NO_RIGHT.exec(row.outcome)?.groups;
  return refused === undefined
    ? undefined
    : {
        requestId: row.requestId,
        administrator: row.actor,
        endpoint: row.action,
        right: knownRight(refused.scope, refused.action),
        isByApiToken: refused.token !== undefined,
        client: row.client,
        realm: row.realm,
        at: new Date(row.at),
      };
}

function knownRight(scopeName: string | undefined, action: string | undefined): Right | undefined {
  const scope = RIGHT_SCOPES.find((known) => known === scopeName);
  return scope !== undefined && action !== undefined && knownActions(scope).includes(action)
    ? { scope, action }
    : undefined;
}
