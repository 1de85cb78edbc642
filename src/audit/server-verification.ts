import type { Clock } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { describeFault } from '../kernel/fault.ts';
import type { Log } from '../kernel/log.ts';
import type { AccessControl } from '../policy/access-control.ts';
import { type Act, actOf, type Caller } from '../policy/caller.ts';
import type { PolicyBase } from '../policy/right-decision.ts';
import type { AuditFinding } from './finding.ts';
import type { AuditAuthority, AuditStore } from './ports.ts';
import { assertUnbound } from './realm-view.ts';
import type { VerificationEnd, VerificationRecord, VerificationStore } from './verification-record.ts';
import { type TrailVerification, verifyTrail } from './verify-trail.ts';

/** Dependencies of verifications by a server. */
export interface ServerVerificationDependencies {
  readonly store: Pick<AuditStore, 'readInSteps' | 'estimate'>;
  readonly verifications: VerificationStore;
  readonly authority: Pick<AuditAuthority, 'keys'>;
  readonly access: AccessControl;
  readonly configuration: { current(): Promise<PolicyBase> };
  readonly clock: Clock;
  readonly log: Log;
  /** @returns milliseconds of a clock that is never set */
  readonly elapsed: () => number;
  /** Waits; ends early when the signal is aborted. */
  readonly rest: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** The most findings that are kept. */
const LISTED_FINDINGS = 100;
const PROGRESS_EVERY_MS = 2_000;
/** The longest rest after a step. */
const MAX_REST_MS = 1_000;
/** Readings of the trail that a prune may spoil, one after the other. Prunes are rare. */
const READINGS = 3;
const CHECKPOINT = /^[0-9a-fA-F]{64}$/;

/** The newest verification, and the keys of the installation. */
export interface VerificationOverview {
  /** Undefined: there was none yet. */
  readonly newest: VerificationRecord | undefined;
  /** 32 bytes each, Ed25519, the current one first. */
  readonly publicKeys: readonly Buffer[];
}

/** A verification that this process runs. */
interface VerificationRun {
  readonly id: string;
  readonly listed: AuditFinding[];
  findings: number;
  rows: number;
  readonly of: number;
  steppedAt: number;
  storedAt: number;
}

/** The reason for which a run ends without a result. */
class Interrupted extends Error {}

/**
 * Verifies the trail in the background of a server, for administrators. One verification at a time runs in an
 * installation. It rests as long as it works, and holds a connection only during a statement.
 */
export class ServerVerification {
  readonly #deps: ServerVerificationDependencies;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(dependencies: ServerVerificationDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Begins a verification, unless one is running. Takes the right `admin/audit`, not bound to realms.
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
      checkpoint: checkpoint?.toLowerCase() ?? '',
    };
    const { record, isNew } = await verifications.begin(draft, actOf(caller, 'audit/verify'));
    if (isNew) {
      // Not the request's id: the act goes on after it.
      const act = { ...actOf(caller, 'audit/verify'), requestId: `verification-${record.id}` };
      this.#running = this.#run(record, act);
    }
    return record;
  }

  /** Takes the right `admin/audit`, not bound to realms. @throws ServiceError 'right.missing' */
  async overview(caller: Caller): Promise<VerificationOverview> {
    await this.#authorize(caller);
    return {
      newest: await this.#deps.verifications.newest(),
      publicKeys: this.#deps.authority.keys().map(({ publicKey }) => publicKey),
    };
  }

  /** Waits for the end of the verification that this process runs. */
  async whenSettled(): Promise<void> {
    await this.#running;
  }

  /** Interrupts the verification that this process runs; further ones are refused. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #authorize(caller: Caller): Promise<void> {
    const { access, configuration } = this.#deps;
    const { grant } = await access.authorizeAdmin(configuration, caller, 'audit');
    assertUnbound(grant);
  }

  /** Never fails: the state tells the end. */
  async #run({ id, checkpoint }: VerificationRecord, act: Act): Promise<void> {
    const { verifications, clock, log, store, elapsed } = this.#deps;
    try {
      const now = elapsed();
      const run: VerificationRun = {
        id,
        listed: [],
        findings: 0,
        rows: 0,
        of: await store.estimate().catch(() => 0),
        steppedAt: now,
        storedAt: now,
      };
      const end = await this.#endOf(run, checkpoint);
      await verifications.end(
        id,
        end,
        clock.now(),
        end.state === 'interrupted' ? undefined : { act, outcome: outcomeOf(end) },
      );
    } catch (error) {
      log.warn('The end of a verification of the audit is not stored', {
        component: 'audit',
        ...describeFault(error),
      });
    }
  }

  async #endOf(run: VerificationRun, checkpoint: string): Promise<VerificationEnd> {
    const { listed } = run;
    const empty = { records: 0, newest: '' };
    try {
      const { rows, records, newest, findings } = await this.#verifyAgain(run, checkpoint, READINGS);
      return { state: 'finished', rows, records, newest, findings, listed, reason: '' };
    } catch (error) {
      const { rows, findings } = run;
      if (error instanceof Interrupted) {
        return { state: 'interrupted', rows, findings, listed, reason: '', ...empty };
      }
      this.#deps.log.warn('A verification of the audit has failed', {
        component: 'audit',
        ...describeFault(error),
      });
      const reason = isServiceError(error) ? error.message : 'internal error';
      return { state: 'failed', rows, findings, listed, reason, ...empty };
    }
  }

  /** Begins again when months were removed meanwhile, whose rows were not read. */
  async #verifyAgain(run: VerificationRun, checkpoint: string, readings: number): Promise<TrailVerification> {
    try {
      return await this.#verify(run, checkpoint);
    } catch (error) {
      if (!isServiceError(error, 'server.busy')) {
        throw error;
      }
      run.listed.length = 0;
      run.findings = 0;
      run.rows = 0;
      if (readings === 1) {
        throw error;
      }
    }
    return this.#verifyAgain(run, checkpoint, readings - 1);
  }

  #verify(run: VerificationRun, checkpoint: string): Promise<TrailVerification> {
    const { store, authority } = this.#deps;
    return store.readInSteps(
      async (snapshot) =>
        verifyTrail(snapshot, {
          keys: authority.keys(),
          anchor: checkpoint === '' ? undefined : checkpoint,
          installation: await snapshot.installation(),
          report: (finding) => {
            run.findings += 1;
            if (run.listed.length < LISTED_FINDINGS) {
              run.listed.push(finding);
            }
          },
          progress: (rows) => {
            run.rows = rows;
          },
        }),
      async (step) => {
        await this.#pace(run);
        return step();
      },
    );
  }

  /** Before each step: rests as long as the last one took, so that requests have the other half of a processor. */
  async #pace(run: VerificationRun): Promise<void> {
    const { elapsed, rest, verifications } = this.#deps;
    const { signal } = this.#stopping;
    await rest(Math.min(elapsed() - run.steppedAt, MAX_REST_MS), signal);
    run.steppedAt = elapsed();
    if (signal.aborted) {
      throw new Interrupted();
    }
    if (run.steppedAt - run.storedAt >= PROGRESS_EVERY_MS) {
      run.storedAt = run.steppedAt;
      const { id, rows, findings } = run;
      if (!(await verifications.advance(id, { rows, findings, of: Math.max(rows, run.of) }))) {
        throw new Interrupted();
      }
    }
  }
}

function outcomeOf({ state, rows, findings }: VerificationEnd): string {
  if (state === 'failed') {
    return `failed after ${rows} rows`;
  }
  return findings === 0 ? `verified ${rows} rows` : `unverifiable: ${findings} findings in ${rows} rows`;
}
