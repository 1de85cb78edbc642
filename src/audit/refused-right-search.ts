import type { AccessControl } from '../policy/access-control.ts';
import type { Caller } from '../policy/caller.ts';
import type { Right } from '../policy/granting.ts';
import type { PolicyBase, PolicyChange, RefusedRight, RefusedRights } from '../policy/ports.ts';
import { knownActions } from '../policy/policy-actions.ts';
import { RIGHT_SCOPES } from '../policy/stored-policy.ts';
import type { AuditRow } from './audit-row.ts';
import type { AuditSearch } from './audit-search.ts';

interface RefusedRightDependencies {
  readonly audit: Pick<AuditSearch, 'page'>;
  readonly access: AccessControl;
  readonly configuration: { current(): Promise<PolicyBase> };
}

/** As `http/refused-requests.ts` writes it; of several alike ones, their number follows. */
const NO_RIGHT =
  /^refused: no right(?: (?<scope>\w+):(?<action>\w+))?(?: \*)?(?<token> in the API token)?(?:,|$)/;
/** The most rows of one request, and the most changes of policies of each kind. */
const MOST = 100;
const KINDS = [
  ['policy/set', 'set'],
  ['policy/remove', 'removed'],
] as const;

/** Refusals for want of a right, and changes of policies, as the audit has them. Takes the right `admin/audit`. */
export class RefusedRightSearch implements RefusedRights {
  readonly #deps: RefusedRightDependencies;

  constructor(dependencies: RefusedRightDependencies) {
    this.#deps = dependencies;
  }

  async find(caller: Caller, requestId: string): Promise<RefusedRight | undefined> {
    const { rows } = await this.#deps.audit.page(caller, { requestId, limit: MOST });
    return rows.map(readRefusal).find((refusal) => refusal !== undefined);
  }

  async policyChangesSince(caller: Caller, at: Date): Promise<readonly PolicyChange[] | undefined> {
    const { audit, access, configuration } = this.#deps;
    const { grant } = await access.authorizeAdmin(configuration, caller, 'audit');
    if (grant.realms !== 'all') {
      // Policies are in no realm.
      return undefined;
    }
    const found: PolicyChange[] = [];
    for (const [action, kind] of KINDS) {
      const { rows } = await audit.page(caller, { action, since: at, limit: MOST });
      found.push(
        ...rows.map(({ subject, actor, at: time }) => ({
          policy: subject,
          kind,
          administrator: actor,
          at: new Date(time),
        })),
      );
    }
    return found.sort((one, other) => one.at.getTime() - other.at.getTime());
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
