import { ServiceError } from '../kernel/errors.ts';
import { Semaphore } from '../kernel/semaphore.ts';
import type { AccessControl } from '../policy/access-control.ts';
import type { Caller } from '../policy/caller.ts';
import type { PolicyBase } from '../policy/right-decision.ts';
import type { AuditRow } from './audit-row.ts';
import type { AuditStore } from './audit-store.ts';
import { type AuditFilter, type AuditValues, auditValues, type RowPlace } from './filter-values.ts';
import { asGranted, boundFilter } from './realm-view.ts';

/** Dependencies of the search. */
interface AuditSearchDependencies {
  readonly store: Pick<AuditStore, 'searchStep'>;
  readonly access: AccessControl;
  readonly configuration: { current(): Promise<PolicyBase> };
}

/** A search; all given filters must match. */
export interface AuditPageRequest extends Omit<AuditFilter, 'limit' | 'offset' | 'after' | 'within'> {
  /** 1 to 1000; default 100. */
  readonly limit?: number | undefined;
  /** `next` of the page before; absent: the first page. */
  readonly cursor?: string | undefined;
}

/** One page of rows. */
export interface AuditPage {
  /**
   * Newest first, each with the realms that the caller may see. Fewer than the limit, perhaps none, where rows are rare:
   * the search goes on at `next`.
   */
  readonly rows: readonly AuditRow[];
  /** The cursor of the next page; null: this is the last one. */
  readonly next: string | null;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
/** A search for rare rows reads much of the trail: it must not take the pool's connections. */
const SEARCHES_AT_ONCE = 2;
const MAX_WAITING_SEARCHES = 8;
const TIMEOUT_MS = 10_000;

/** Searches the audit trail for administrators. It writes no row. */
export class AuditSearch {
  readonly #deps: AuditSearchDependencies;
  readonly #turns = new Semaphore(SEARCHES_AT_ONCE, {
    waiting: MAX_WAITING_SEARCHES,
    timeoutMs: TIMEOUT_MS,
    refuse: () =>
      new ServiceError('server.busy', 'Too many searches of the audit at once', { retryAfter: 5 }),
  });

  constructor(dependencies: AuditSearchDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Takes the right `admin/audit`. A caller bound to realms finds only rows whose subject is in one of them.
   * @throws ServiceError 'right.missing', 'realm.unknown' for a realm that the caller may not see, 'parameter.invalid'
   *   for an unknown action or outcome, and for a limit or cursor, 'server.busy'
   */
  async page(
    caller: Caller,
    { cursor, limit = DEFAULT_LIMIT, ...filter }: AuditPageRequest,
  ): Promise<AuditPage> {
    const { access, configuration, store } = this.#deps;
    const { grant } = await access.authorizeAdmin(configuration, caller, 'audit');
    const requested = {
      ...boundFilter(filter, grant),
      limit: readLimit(limit) + 1,
      ...(cursor !== undefined && { after: readCursor(cursor) }),
    };
    const found = await this.#turns.run(() => store.searchStep(requested));
    const rows = found.rows.slice(0, limit);
    const last = found.rows.length > limit ? rows.at(-1) : found.reached;
    return {
      rows: rows.map((row) => asGranted(row, grant)),
      next: last === undefined || last === null ? null : cursorOf(last),
    };
  }

  /** @returns the known values of filters */
  values(): AuditValues {
    return auditValues();
  }
}

function readLimit(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new ServiceError('parameter.invalid', `The limit must be a whole number from 1 to ${MAX_LIMIT}`, {
      parameter: 'limit',
    });
  }
  return limit;
}

function cursorOf({ at, id }: RowPlace): string {
  return `${at},${id}`;
}

/** Rows whose time only an attacker can have written, as `infinity`, have no cursor: their next page is refused. */
function readCursor(cursor: string): RowPlace {
  const [, at, id] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z),(-?\d{1,18})$/.exec(cursor) ?? [];
  if (at === undefined || id === undefined || !isInstant(at)) {
    throw new ServiceError('parameter.invalid', 'The cursor is none of this search', { parameter: 'cursor' });
  }
  return { at, id };
}

/** Refuses days such as 31 February, which JavaScript reads and PostgreSQL does not. */
function isInstant(at: string): boolean {
  const time = Date.parse(at);
  return time >= 0 && new Date(time).toISOString().slice(0, 23) === at.slice(0, 23);
}
