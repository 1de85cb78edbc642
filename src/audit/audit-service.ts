import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import type { AuditRow } from './audit-row.ts';
import { type ExportFormat, exportNote, exportTrail } from './export-trail.ts';
import type { AuditStore } from './audit-store.ts';
import type { AuditFilter, AuditPeriod } from './filter-values.ts';
import type { PruningPlan } from './journal-record.ts';
import type { Pruned } from './pruning-store.ts';
import type { AuditAuthority, InstallationKey } from './signing-key.ts';
import { type TrailVerification, verifyStored, type VerifyRequest } from './verify-trail.ts';

/** Dependencies of the service. */
export interface AuditDependencies {
  readonly store: AuditStore;
  readonly authority: AuditAuthority;
  readonly clock: Clock;
  /** @returns the time by which rows may be removed. @throws ServiceError 'clock.doubtful' */
  readonly pruningTime: () => Promise<Date>;
}

/** Searches, verifies, exports and prunes the audit trail. For operators at the machine. */
export class AuditService {
  readonly #deps: AuditDependencies;

  constructor(dependencies: AuditDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @returns rows, newest first
   * @throws ServiceError 'right.missing' for a caller who is no operator
   */
  async search(caller: Caller, filter: AuditFilter): Promise<readonly AuditRow[]> {
    assertOperator(caller);
    return await this.#deps.store.search(filter);
  }

  /**
   * Verifies the whole trail.
   * @throws ServiceError 'right.missing' for a caller who is no operator
   */
  async verify(
    caller: Caller,
    request: VerifyRequest,
  ): Promise<TrailVerification & { readonly keys: readonly InstallationKey[] }> {
    assertOperator(caller);
    return verifyStored(this.#deps, request);
  }

  /**
   * Exports the trail, with all that its verification needs elsewhere. The export is recorded in the trail first: where
   * the database takes no row, nothing is exported.
   * @param write gets the text piece by piece
   * @returns the number of rows
   * @throws ServiceError 'right.missing' for a caller who is no operator
   */
  async export(
    caller: Caller,
    { format, ...period }: AuditPeriod & { readonly format: ExportFormat },
    write: (text: string) => Promise<void>,
  ): Promise<number> {
    assertOperator(caller);
    const { store, authority, clock } = this.#deps;
    await store.note(actOf(caller, 'audit/export'), exportNote(format, period));
    return await store.read((snapshot) =>
      exportTrail(snapshot, { keys: authority.keys(), at: clock.now(), format, period, write }),
    );
  }

  /**
   * @returns the number of months that a prune before this instant would remove
   * @throws ServiceError 'right.missing' for a caller who is no operator
   */
  async monthsBefore(caller: Caller, before: Date): Promise<number> {
    assertOperator(caller);
    return this.#deps.store.monthsBefore(before);
  }

  /**
   * Removes whole months. The trail verifies afterwards as it did before.
   * @param before everything from the month of this instant on is kept
   * @param force prunes without verification
   * @throws ServiceError 'right.missing' for a caller who is no operator, 'parameter.invalid' for months that are not
   *   over, 'clock.doubtful', 'audit.unverifiable'
   */
  async prune(caller: Caller, { before, force }: { before: Date; force: boolean }): Promise<Pruned> {
    assertOperator(caller);
    const cut = new Date(Date.UTC(before.getUTCFullYear(), before.getUTCMonth(), 1));
    if (cut > (await this.#deps.pruningTime())) {
      throw new ServiceError('parameter.invalid', 'Only months that are over can be pruned');
    }
    let verified: PruningPlan | undefined;
    if (!force) {
      const { findings } = await verifyStored(this.#deps, { report: () => undefined }, async (snapshot) => {
        verified = await snapshot.planPruning(cut);
      });
      if (findings > 0) {
        throw new ServiceError(
          'audit.unverifiable',
          `The audit trail does not verify (${findings} findings), and pruning may take away what tells why`,
        );
      }
    }
    return await this.#deps.store.prune(cut, actOf(caller, 'audit/prune'), verified);
  }
}

function assertOperator({ principal }: Caller): void {
  if (!principal.operator) {
    throw new ServiceError('right.missing', 'The audit trail is read at the machine itself only');
  }
}
