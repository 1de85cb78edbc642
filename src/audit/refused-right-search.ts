import { ServiceError } from '../kernel/errors.ts';
import type { AccessControl } from '../policy/access-control.ts';
import type { Caller } from '../policy/caller.ts';
import type { PolicyBase, Right } from '../policy/granting.ts';
import { knownActions } from '../policy/policy-actions.ts';
import { RIGHT_SCOPES } from '../policy/stored-policy.ts';
import type { AuditRow } from './audit-row.ts';
import type { AuditPage, AuditPageRequest, AuditReading } from './audit-reading.ts';

/** A request that was refused for want of a right. */
export interface RefusedRight {
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

/** A change of a policy. */
export interface PolicyChange {
  readonly policy: string;
  readonly kind: 'set' | 'removed';
  readonly administrator: string;
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
        changes.push(...rows.map((row) => readChange(row, kind)));
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

function readChange({ subject, actor, at }: AuditRow, kind: PolicyChange['kind']): PolicyChange {
  return { policy: subject, kind, administrator: actor, at: new Date(at) };
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
