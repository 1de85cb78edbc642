import type { Clock } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { actOf, assertOperator, type Caller, serverCaller } from '../policy/caller.ts';
import { type ExportFormat, exportNote, exportTrail } from './export-trail.ts';
import type { AuditStore } from './audit-store.ts';
import type { AuditAuthority, InstallationKey } from './checkpoint.ts';
import type { AuditPeriod } from './audit-row.ts';
import type { Pruned } from './pruning-store.ts';
import type { AuditSealer } from './sealing-store.ts';
import type { TrailVerification, VerifyRequest } from './verification.ts';

/** Verifies, exports and prunes the audit trail. For operators at the machine. */
export class AuditService {
  readonly #deps;

  constructor(dependencies: {
    readonly store: AuditStore;
    readonly sealer: AuditSealer;
    readonly authority: AuditAuthority;
    readonly clock: Clock;
    /** @returns the time by which rows may be removed. @throws ServiceError 'clock.doubtful' */
    readonly pruningTime: () => Promise<Date>;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Verifies the whole trail.
   * @throws ServiceError 'right.missing' for a caller who is no operator
   */
  async verify(
    caller: Caller,
    request: VerifyRequest,
  ): Promise<TrailVerification & { readonly keys: readonly InstallationKey[] }> {
    assertOperator(caller, 'The audit trail is read');
    const { store, authority } = this.#deps;
    const keys = authority.keys();
    return { ...(await store.verify(keys, request)), keys };
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
    assertOperator(caller, 'The audit trail is read');
    const { store, sealer, authority, clock } = this.#deps;
    await store.note(actOf(caller, 'audit/export'), exportNote(format, period));
    await sealer.sealAll();
    const options = { keys: authority.keys(), at: clock.now(), format, period, write };
    return exportTrail(await store.trail(period), options);
  }

  /**
   * @returns the number of months that a prune before this instant would remove
   * @throws ServiceError 'right.missing' for a caller who is no operator
   */
  async monthsBefore(caller: Caller, before: Date): Promise<number> {
    assertOperator(caller, 'Months of the audit trail are removed');
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
    assertOperator(caller, 'Months of the audit trail are removed');
    const cut = new Date(Date.UTC(before.getUTCFullYear(), before.getUTCMonth(), 1));
    if (cut > (await this.#deps.pruningTime())) {
      throw new ServiceError('parameter.invalid', 'Only months that are over can be pruned');
    }
    const { store, sealer, authority } = this.#deps;
    if (!force) {
      const { findings } = await store.verify(authority.keys(), { report: () => undefined });
      if (findings > 0) {
        throw new ServiceError(
          'audit.unverifiable',
          `The audit trail does not verify (${findings} findings), and pruning may take away what tells why`,
        );
      }
    }
    return await store.prune(sealer, cut, actOf(caller, 'audit/prune'));
  }
}

/** Milliseconds. */
const DAY = 86_400_000;
const HOUR = 3_600_000;
const HOUSEKEEPING = serverCaller({ actor: 'housekeeping', client: '', requestId: '' });

/** Removes the months of the trail whose configured retention time has passed. */
export class AuditRetention {
  readonly #deps;
  #restUntil = 0;

  constructor(dependencies: {
    readonly store: Pick<AuditStore, 'monthsBefore'>;
    readonly audit: Pick<AuditService, 'prune'>;
    /** Seconds for which the rows of a month are kept after its end; undefined: for ever. */
    readonly retention: number | undefined;
  }) {
    this.#deps = dependencies;
  }

  get isOn(): boolean {
    return this.#deps.retention !== undefined;
  }

  async due(now: Date): Promise<number> {
    const before = this.#before(now);
    return before === undefined ? 0 : this.#deps.store.monthsBefore(before);
  }

  /**
   * Verifies the trail and removes the months that are due. Where the trail does not verify, the next attempt follows a
   * day later; where the removal fails, an hour later: the verification of a whole trail takes minutes, on every core.
   * @param now a time by which all else may be removed
   * @returns the number of removed months
   * @throws ServiceError 'audit.unverifiable', 'clock.doubtful'
   */
  async remove(now: Date): Promise<number> {
    const before = this.#before(now);
    if (before === undefined || now.getTime() < this.#restUntil || (await this.due(now)) === 0) {
      return 0;
    }
    try {
      return (await this.#deps.audit.prune(HOUSEKEEPING, { before, force: false })).months.length;
    } catch (error) {
      if (!isServiceError(error, 'clock.doubtful')) {
        this.#restUntil = now.getTime() + (isServiceError(error, 'audit.unverifiable') ? DAY : HOUR);
      }
      // Another server removes them, or rows are not sealed yet.
      if (isServiceError(error, 'server.busy')) {
        return 0;
      }
      throw error;
    }
  }

  #before(now: Date): Date | undefined {
    const { retention } = this.#deps;
    return retention === undefined ? undefined : new Date(now.getTime() - retention * 1000);
  }
}
