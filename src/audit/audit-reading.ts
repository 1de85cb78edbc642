import { ServiceError } from '../kernel/errors.ts';
import type { AccessControl, Grant } from '../policy/access-control.ts';
import { type AuditFilter, type AuditRow, type RowPlace, withoutPinVerdict } from './audit-row.ts';
import { Semaphore, KeyedCounts } from '../kernel/bounded-work.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import type { PolicyBase } from '../policy/granting.ts';
import type { AuditStore } from './audit-store.ts';
import { type Clock, parsePastInstant } from '../kernel/clock.ts';
import { exportExtract, type ExportFormat, exportNote, exportTrail } from './export-trail.ts';
import type { AuditAuthority } from './checkpoint.ts';
import type { AuditSealer } from './sealing-store.ts';

/** What selects rows, with times as `parsePastInstant` reads them. */
export type AuditQuery = Omit<
  AuditFilter,
  'limit' | 'after' | 'within' | 'entirelyWithin' | 'since' | 'until'
> & {
  readonly since?: string | Date | undefined;
  readonly until?: string | Date | undefined;
};

export interface AuditPageRequest extends AuditQuery {
  /** 1 to 1000; default 100. */
  readonly limit?: number | undefined;
  /** `next` of the page before; absent: the first page. */
  readonly cursor?: string | undefined;
}

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
/** A search for rare rows reads much of the trail: it must not take the pool's connections. */
const SEARCHES_AT_ONCE = 2;
const MAX_WAITING_SEARCHES = 8;
const TIMEOUT_MS = 10_000;

/** Of the outcomes that tell of a PIN, the beginnings that tell them from others. */
const PIN_FILTER = /, right|,\s*$/;

interface Reader {
  readonly grant: Grant;
  /** The extent of `admin:set`. */
  readonly pins: Grant | undefined;
}

/** Writes an export, piece by piece; each piece waits until the last one was taken. */
type WriteText = (text: string) => Promise<void>;

export interface GrantedExport {
  readonly format: ExportFormat;
  /** True: with all that verification needs. False: selected rows. */
  readonly isVerifiable: boolean;
  /**
   * Records the export in the audit, then writes it. Ends when `write` fails.
   * @returns the number of rows
   * @throws ServiceError 'server.busy' at once if too many exports are under way, in all or by the administrator; the
   *   error of `write`
   */
  readonly write: (write: WriteText) => Promise<number>;
}

/** Exports under way: most of them wait for their readers, however slow. */
const EXPORTS_AT_ONCE = { all: 8, each: 2 };
/** Steps that read the database at once. */
const STEPS_AT_ONCE = 2;
const ROWS_AT_ONCE = 1_000;

/**
 * Shows and exports the audit trail to administrators, in bounded memory and short transactions. Only an export writes a
 * row.
 */
export class AuditReading {
  readonly #deps;
  readonly #turns = new Semaphore(SEARCHES_AT_ONCE, {
    waiting: MAX_WAITING_SEARCHES,
    timeoutMs: TIMEOUT_MS,
    refuse: () =>
      new ServiceError('server.busy', 'Too many searches of the audit at once', { retryAfter: 5 }),
  });
  readonly #exports = new KeyedCounts();
  #exporting = 0;
  readonly #steps = new Semaphore(STEPS_AT_ONCE);

  constructor(dependencies: {
    readonly store: Pick<AuditStore, 'searchStep' | 'trail' | 'note'>;
    readonly sealer: Pick<AuditSealer, 'sealAll'>;
    readonly authority: Pick<AuditAuthority, 'keys'>;
    readonly access: AccessControl;
    readonly configuration: { current(): Promise<PolicyBase> };
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Takes the right `admin:audit`. A caller bound to realms finds only rows whose subject is in one of them. Whether the
   * PIN of a wrong response was right takes `admin:set`, which sets PINs: to others it would be a way to guess one.
   * @throws ServiceError 'right.missing', 'realm.unknown' for a realm that the caller may not see, 'parameter.invalid'
   *   for a time or cursor, 'server.busy'
   */
  async page(
    caller: Caller,
    { cursor, limit = DEFAULT_LIMIT, ...query }: AuditPageRequest,
  ): Promise<AuditPage> {
    const reader = await this.#reader(caller);
    const requested = {
      ...boundFilter(filterOf(query, this.#deps.clock.now()), reader),
      limit: limit + 1,
      ...(cursor !== undefined && { after: readCursor(cursor) }),
    };
    const found = await this.#turns.run(() => this.#deps.store.searchStep(requested));
    const rows = found.rows.slice(0, limit);
    const last = found.rows.length > limit ? rows.at(-1) : found.reached;
    return {
      rows: rows.map((row) => asGranted(row, reader)),
      next: last === undefined || last === null ? null : cursorOf(last),
    };
  }

  /**
   * Takes the right `admin:audit`. JSON lines of all rows, or of a period, can be verified; CSV and selected rows
   * cannot. A caller bound to realms gets only rows whose subject is in one of them.
   * @throws ServiceError 'right.missing', 'realm.unknown' for a realm that the caller may not see, 'parameter.invalid'
   */
  async grantExport(
    caller: Caller,
    { format, ...query }: AuditQuery & { readonly format: ExportFormat },
  ): Promise<GrantedExport> {
    const { store, sealer, authority, clock } = this.#deps;
    const reader = await this.#reader(caller);
    const requested = filterOf(query, clock.now());
    const filter = boundFilter(requested, reader);
    const told = { ...requested, within: filter.within };
    const { since, until, ...selecting } = told;
    const isVerifiable = format === 'jsonl' && Object.values(selecting).every((value) => value === undefined);
    const writeTo = async (write: WriteText): Promise<number> => {
      await store.note(actOf(caller, 'audit/export'), exportNote(format, told));
      const options = { at: clock.now(), format, write };
      if (!isVerifiable) {
        return exportExtract(this.#rows(filter, reader), { ...options, filter: told });
      }
      await sealer.sealAll();
      const period = { since, until };
      const trail = await store.trail(period, (step) => this.#steps.run(step));
      return exportTrail(trail, { ...options, keys: authority.keys(), period });
    };
    const { administrator } = caller.principal;
    return { format, isVerifiable, write: (write) => this.#inPlace(administrator, () => writeTo(write)) };
  }

  async #reader(caller: Caller): Promise<Reader> {
    const { access } = this.#deps;
    const { configuration, grant } = await access.authorizeAdmin(this.#deps.configuration, caller, 'audit');
    return { grant, pins: access.grantOf(configuration, caller, { scope: 'admin', action: 'set' }) };
  }

  /** Nobody waits for a place, and nobody gets all of them. */
  async #inPlace<T>(administrator: string, work: () => Promise<T>): Promise<T> {
    const { all, each } = EXPORTS_AT_ONCE;
    if (this.#exporting >= all || this.#exports.of(administrator) >= each) {
      throw new ServiceError('server.busy', 'Too many exports of the audit at once', { retryAfter: 10 });
    }
    this.#exporting += 1;
    try {
      return await this.#exports.during(administrator, work);
    } finally {
      this.#exporting -= 1;
    }
  }

  /** Each step is a search of its own, from the last row on. */
  async *#rows(requested: Omit<AuditFilter, 'limit'>, reader: Reader): AsyncGenerator<readonly AuditRow[]> {
    let after: RowPlace | undefined;
    do {
      const from = { ...requested, limit: ROWS_AT_ONCE, after };
      const { rows, reached } = await this.#steps.run(() => this.#deps.store.searchStep(from));
      yield rows.map((row) => asGranted(row, reader));
      after = reached ?? (rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1));
    } while (after !== undefined);
  }
}

function filterOf({ since, until, ...query }: AuditQuery, now: Date): Omit<AuditFilter, 'limit'> {
  const read = (time: string | Date, name: string): Date =>
    typeof time === 'string' ? parsePastInstant(time, now, name) : time;
  return {
    ...query,
    ...(since !== undefined && { since: read(since, 'since') }),
    ...(until !== undefined && { until: read(until, 'until') }),
  };
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

export function grantedRealms({ realm }: Pick<AuditRow, 'realm'>, { realms: allowed }: Grant): string[] {
  const realms = realm === '' ? [] : realm.split(',');
  return allowed === 'all' ? realms : realms.filter((name) => allowed.includes(name));
}

/** @returns true if the grant covers all realms of the row's subject, and one at least */
export function coversRow(row: Pick<AuditRow, 'realm'>, grant: Grant | undefined): boolean {
  return (
    grant !== undefined &&
    (grant.realms === 'all' || (row.realm !== '' && grantedRealms(row, grant).join(',') === row.realm))
  );
}

/** @returns the row as the reader may see it: with realms, and what it tells of a PIN, by their grants */
function asGranted(row: AuditRow, { grant, pins }: Reader): AuditRow {
  const outcome = coversRow(row, pins) ? row.outcome : withoutPinVerdict(row.outcome);
  return { ...row, outcome, realm: grantedRealms(row, grant).join(',') };
}

/**
 * @returns the filter, bound to the realms of the grant
 * @throws ServiceError 'realm.unknown' for a realm that the grant does not cover, 'right.missing' for an outcome that tells of PINs in realms where the reader sets none
 */
function boundFilter<Filter extends Partial<AuditFilter>>(
  filter: Filter,
  { grant, pins }: Reader,
): Filter & Pick<AuditFilter, 'within' | 'entirelyWithin'> {
  const tellsOfPins = PIN_FILTER.test(filter.outcome ?? '');
  if (tellsOfPins && !coversAll(pins, grant)) {
    throw new ServiceError('right.missing', 'Whether a PIN was right takes the right admin:set', {
      policy: { scope: 'admin', action: 'set' },
    });
  }
  if (grant.realms === 'all') {
    return filter;
  }
  if (filter.realm !== undefined && !grant.realms.includes(filter.realm)) {
    throw new ServiceError('realm.unknown', `There is no realm '${filter.realm.slice(0, 255)}'`);
  }
  const isOfPins = tellsOfPins && pins !== undefined && pins.realms !== 'all';
  // A row that is found by such an outcome tells it.
  return { ...filter, within: grant.realms, ...(isOfPins && { entirelyWithin: pins.realms }) };
}

function coversAll(pins: Grant | undefined, { realms }: Grant): boolean {
  return (
    pins?.realms === 'all' ||
    (realms !== 'all' && realms.every((name) => pins?.realms.includes(name) === true))
  );
}
