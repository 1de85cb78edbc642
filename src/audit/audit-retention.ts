import type { Clock } from '../kernel/clock.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { Caller } from '../policy/caller.ts';
import type { AuditService } from './audit-service.ts';
import type { AuditStore } from './ports.ts';

export interface AuditRetentionDependencies {
  readonly store: Pick<AuditStore, 'monthsBefore'>;
  readonly audit: Pick<AuditService, 'prune'>;
  readonly clock: Clock;
  /** For how many seconds the rows of a month are kept after its end; undefined: for ever. */
  readonly retention: number | undefined;
}

/** Milliseconds. */
const DAY = 86_400_000;
const HOUR = 3_600_000;
const HOUSEKEEPING: Caller = {
  principal: { administrator: 'housekeeping', rights: ['*'], operator: true, client: '' },
  requestId: '',
};

/** Takes away the months of the trail that nobody keeps any longer, where the configuration says how long that is. */
export class AuditRetention {
  readonly #deps: AuditRetentionDependencies;
  #restUntil = 0;

  constructor(dependencies: AuditRetentionDependencies) {
    this.#deps = dependencies;
  }

  /** Whether anything is ever taken away. */
  get isOn(): boolean {
    return this.#deps.retention !== undefined;
  }

  /** @returns how many months are due */
  async due(): Promise<number> {
    const before = this.#before();
    return before === undefined ? 0 : this.#deps.store.monthsBefore(before);
  }

  /**
   * Verifies the trail and takes away what is due. Where the trail does not verify, it is looked at again a day later only;
   * where it could not be taken away, an hour later: verifying all of it is work for minutes, on every core.
   * @returns how many months are gone
   * @throws ServiceError 'audit.unverifiable'
   */
  async remove(): Promise<number> {
    const now = this.#deps.clock.now().getTime();
    const before = this.#before();
    if (before === undefined || now < this.#restUntil || (await this.due()) === 0) {
      return 0;
    }
    try {
      return (await this.#deps.audit.prune(HOUSEKEEPING, { before, force: false })).months.length;
    } catch (error) {
      this.#restUntil = now + (isServiceError(error, 'audit.unverifiable') ? DAY : HOUR);
      throw error;
    }
  }

  #before(): Date | undefined {
    const { retention, clock } = this.#deps;
    return retention === undefined ? undefined : new Date(clock.now().getTime() - retention * 1000);
  }
}
