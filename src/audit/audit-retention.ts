import { isServiceError } from '../kernel/errors.ts';
import type { Caller } from '../policy/caller.ts';
import type { AuditService } from './audit-service.ts';
import type { AuditStore } from './audit-store.ts';

export interface AuditRetentionDependencies {
  readonly store: Pick<AuditStore, 'monthsBefore'>;
  readonly audit: Pick<AuditService, 'prune'>;
  /** Seconds for which the rows of a month are kept after its end; undefined: for ever. */
  readonly retention: number | undefined;
}

/** Milliseconds. */
const DAY = 86_400_000;
const HOUR = 3_600_000;
const HOUSEKEEPING: Caller = {
  principal: { administrator: 'housekeeping', rights: ['*'], operator: true, client: '' },
  requestId: '',
};

/** Removes the months of the trail whose configured retention time has passed. */
export class AuditRetention {
  readonly #deps: AuditRetentionDependencies;
  #restUntil = 0;

  constructor(dependencies: AuditRetentionDependencies) {
    this.#deps = dependencies;
  }

  /** True if a retention time is configured. */
  get isOn(): boolean {
    return this.#deps.retention !== undefined;
  }

  /** @returns the number of months that are due at that time */
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
      throw error;
    }
  }

  #before(now: Date): Date | undefined {
    const { retention } = this.#deps;
    return retention === undefined ? undefined : new Date(now.getTime() - retention * 1000);
  }
}
