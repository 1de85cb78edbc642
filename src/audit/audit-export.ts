import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { KeyedCounts, Semaphore } from '../kernel/bounded-work.ts';
import type { AccessControl, Grant } from '../policy/access-control.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import type { PolicyBase } from '../policy/right-decision.ts';
import type { AuditRow } from './audit-row.ts';
import { exportExtract, type ExportFormat, exportNote, exportTrail } from './export-trail.ts';
import type { AuditStore } from './audit-store.ts';
import type { AuditFilter, RowPlace } from './filter-values.ts';
import type { AuditAuthority } from './signing-key.ts';
import { asGranted, boundFilter } from './realm-view.ts';

/** Dependencies of exports. */
export interface AuditExportDependencies {
  readonly store: Pick<AuditStore, 'searchStep' | 'readInSteps' | 'note'>;
  readonly authority: Pick<AuditAuthority, 'keys'>;
  readonly access: AccessControl;
  readonly configuration: { current(): Promise<PolicyBase> };
  readonly clock: Clock;
}

/** The selected rows; all filters must match. */
export interface AuditExportRequest extends Omit<AuditFilter, 'limit' | 'offset' | 'after' | 'within'> {
  readonly format: ExportFormat;
}

/** Writes an export, piece by piece; each piece waits until the last one was taken. */
type WriteText = (text: string) => Promise<void>;

/** An export that was granted. */
export interface GrantedExport {
  readonly format: ExportFormat;
  /** True: whole chains with all that their verification needs. False: selected rows. */
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
/** Steps of an export of rare rows after which an index is tried again. */
const STEPS_PER_TRIAL = 10;

/** Exports the audit trail for administrators, in bounded memory and short transactions. */
export class AuditExport {
  readonly #deps: AuditExportDependencies;
  readonly #exports = new KeyedCounts();
  #exporting = 0;
  readonly #steps = new Semaphore(STEPS_AT_ONCE);

  constructor(dependencies: AuditExportDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Takes the right `admin/audit`. JSON lines of all rows, or of a period, can be verified; CSV and selected rows
   * cannot. A caller bound to realms gets only rows whose subject is in one of them.
   * @throws ServiceError 'right.missing', 'realm.unknown' for a realm that the caller may not see, 'parameter.invalid'
   */
  async grant(caller: Caller, { format, ...requested }: AuditExportRequest): Promise<GrantedExport> {
    const { access, configuration, store, authority, clock } = this.#deps;
    const { grant } = await access.authorizeAdmin(configuration, caller, 'audit');
    const filter = boundFilter(requested, grant);
    const { since, until, ...selecting } = filter;
    const isVerifiable = format === 'jsonl' && Object.values(selecting).every((value) => value === undefined);
    const writeTo = async (write: WriteText): Promise<number> => {
      await store.note(actOf(caller, 'audit/export'), exportNote(format, filter));
      const options = { at: clock.now(), format, write };
      return isVerifiable
        ? store.readInSteps(
            (snapshot) =>
              exportTrail(snapshot, { ...options, keys: authority.keys(), period: { since, until } }),
            (step) => this.#steps.run(step),
          )
        : exportExtract(this.#rows(filter, grant), { ...options, filter });
    };
    const { administrator } = caller.principal;
    return { format, isVerifiable, write: (write) => this.#inPlace(administrator, () => writeTo(write)) };
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
  async *#rows(requested: Omit<AuditFilter, 'limit'>, grant: Grant): AsyncGenerator<readonly AuditRow[]> {
    let after: RowPlace | undefined;
    let isRare = false;
    let step = 0;
    do {
      step += 1;
      const from = { ...requested, limit: ROWS_AT_ONCE, after };
      const { rows, reached } = await this.#steps.run(() => this.#deps.store.searchStep(from, isRare));
      // A trial may have failed for a moment's load.
      isRare = (isRare || reached !== null) && step % STEPS_PER_TRIAL !== 0;
      yield rows.map((row) => asGranted(row, grant));
      after = reached ?? (rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1));
    } while (after !== undefined);
  }
}
