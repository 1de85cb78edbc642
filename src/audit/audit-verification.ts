import type { z } from 'zod';
import type { Clock } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import type { AccessControl } from '../policy/access-control.ts';
import { type Act, actOf, type Caller } from '../policy/caller.ts';
import type { PolicyBase } from '../policy/granting.ts';
import type {
  AuditFinding,
  NEWEST_VERIFICATION,
  VerificationEnd,
  VerificationRecord,
} from './verification.ts';
import type { AuditStore } from './audit-store.ts';
import type { AuditAuthority } from './checkpoint.ts';
import type { VerificationStore } from './verification-store.ts';

const LISTED_FINDINGS = 100;
const PROGRESS_EVERY_MS = 2_000;
const CHECKPOINT = /^[0-9a-fA-F]{64}$/;

class Interrupted extends Error {}

/** Verifies the trail in the background of a server, for administrators. One at a time runs in an installation. */
export class AuditVerification {
  readonly #deps;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(dependencies: {
    readonly store: Pick<AuditStore, 'verify'>;
    readonly verifications: Pick<VerificationStore, 'begin' | 'advance' | 'end' | 'newest'>;
    readonly authority: Pick<AuditAuthority, 'keys'>;
    readonly access: AccessControl;
    readonly configuration: { current(): Promise<PolicyBase> };
    readonly clock: Clock;
    readonly log: Log;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Begins a verification, unless one is running. Takes the right `admin:audit`, not bound to realms.
   * @param checkpoint the hash of a checkpoint that the trail must contain; undefined: none
   * @returns the new verification, or the running one
   * @throws ServiceError 'right.missing', 'parameter.invalid' for a checkpoint that is no hash, 'server.busy' while the
   *   server stops
   */
  async begin(caller: Caller, checkpoint?: string): Promise<VerificationRecord> {
    const { verifications, clock } = this.#deps;
    await this.#authorize(caller);
    if (checkpoint !== undefined && !CHECKPOINT.test(checkpoint)) {
      throw new ServiceError('parameter.invalid', 'A checkpoint has 64 hexadecimal digits, as in the log', {
        parameter: 'checkpoint',
      });
    }
    if (this.#stopping.signal.aborted) {
      throw new ServiceError('server.busy', 'The server stops', { retryAfter: 5 });
    }
    const draft = {
      begunAt: clock.now(),
      begunBy: caller.principal.administrator,
      expectedCheckpoint: checkpoint?.toLowerCase() ?? '',
    };
    const { record, isNew } = await verifications.begin(draft, actOf(caller, 'audit/verify'));
    if (isNew) {
      // Not the request's id: the act goes on after it.
      const act = { ...actOf(caller, 'audit/verify'), requestId: `verification-${record.id}` };
      this.#running = this.#run(record, act);
    }
    return record;
  }

  /** Takes the right `admin:audit`, not bound to realms. @throws ServiceError 'right.missing' */
  async newest(caller: Caller): Promise<ReadonlyDeep<z.output<typeof NEWEST_VERIFICATION>>> {
    await this.#authorize(caller);
    return {
      verification: (await this.#deps.verifications.newest()) ?? null,
      keys: this.#deps.authority.keys().map(({ publicKey }) => publicKey.toString('base64')),
    };
  }

  /** Interrupts the verification that this process has begun; further ones are refused. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #authorize(caller: Caller): Promise<void> {
    const { access, configuration } = this.#deps;
    const { grant } = await access.authorizeAdmin(configuration, caller, 'audit');
    if (grant.realms !== 'all') {
      throw new ServiceError(
        'right.missing',
        'The right admin:audit is bound to realms, and the audit can be verified as a whole only',
      );
    }
  }

  /** Never fails: the state tells the end. */
  async #run(record: VerificationRecord, act: Act): Promise<void> {
    const { verifications, clock, log } = this.#deps;
    try {
      const end = await this.#endOf(record);
      const audited = end.state === 'interrupted' ? undefined : { act, outcome: outcomeOf(end) };
      await verifications.end(record.id, end, clock.now(), audited);
    } catch (error) {
      log.warn('The end of a verification of the audit is not stored', {
        component: 'audit',
        ...describeFault(error),
      });
    }
  }

  async #endOf({ id, expectedCheckpoint }: VerificationRecord): Promise<VerificationEnd> {
    const { store, authority, verifications, log } = this.#deps;
    const listedFindings: AuditFinding[] = [];
    const reached = { rows: 0, checkpoints: 0, newestCheckpoint: '', findings: 0 };
    let storedAt = performance.now();
    try {
      const verified = await store.verify(authority.keys(), {
        checkpoint: expectedCheckpoint === '' ? undefined : expectedCheckpoint,
        report: (finding) => {
          reached.findings += 1;
          if (listedFindings.length < LISTED_FINDINGS) {
            listedFindings.push(finding);
          }
        },
        progress: async (rows, of) => {
          reached.rows = rows;
          const isDue = performance.now() - storedAt >= PROGRESS_EVERY_MS;
          storedAt = isDue ? performance.now() : storedAt;
          if (
            this.#stopping.signal.aborted ||
            (isDue && !(await verifications.advance(id, { ...reached, totalRows: of })))
          ) {
            throw new Interrupted();
          }
        },
      });
      return { state: 'finished', ...verified, listedFindings, reason: '' };
    } catch (error) {
      if (error instanceof Interrupted) {
        return { state: 'interrupted', ...reached, listedFindings, reason: '' };
      }
      log.warn('A verification of the audit has failed', {
        component: 'audit',
        ...describeFault(error),
      });
      const reason = isServiceError(error) ? error.message : 'internal error';
      return { state: 'failed', ...reached, listedFindings, reason };
    }
  }
}

function outcomeOf({ state, rows, findings }: VerificationEnd): string {
  if (state === 'failed') {
    return `failed after ${rows} rows`;
  }
  return findings === 0 ? `verified ${rows} rows` : `unverifiable: ${findings} findings in ${rows} rows`;
}
