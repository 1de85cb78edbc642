import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import type { AuditRow } from './audit-row.ts';
import { type ExportFormat, exportTrail } from './export-trail.ts';
import type { Report } from './finding.ts';
import type {
  AuditAuthority,
  AuditFilter,
  AuditPeriod,
  AuditStore,
  InstallationKey,
  Pruned,
  PruningPlan,
  StoredSnapshot,
} from './ports.ts';
import { type Verification, verifyTrail } from './verify-trail.ts';

/** What the service works with. */
export interface AuditDependencies {
  readonly store: AuditStore;
  readonly authority: AuditAuthority;
  readonly clock: Clock;
}

/** What verifying is told. */
export interface VerifyRequest {
  /** Is given every finding as it is found. */
  readonly report: Report;
  /** The hash of a checkpoint, as a server has logged it: it must be there. */
  readonly checkpoint?: string | undefined;
  /** Is told how many rows were checked so far, and how many there are, about. */
  readonly progress?: (rows: number, of: number) => void;
}

/** Looks into the audit trail, verifies it, hands it out and takes old months away. For operators at the machine. */
export class AuditService {
  readonly #deps: AuditDependencies;

  constructor(dependencies: AuditDependencies) {
    this.#deps = dependencies;
  }

  /** @returns rows, newest first. @throws ServiceError 'right.missing' for anybody but an operator */
  async search(caller: Caller, filter: AuditFilter): Promise<readonly AuditRow[]> {
    assertOperator(caller);
    return await this.#deps.store.search(filter);
  }

  /** Verifies the whole trail. @throws ServiceError 'right.missing' for anybody but an operator */
  async verify(
    caller: Caller,
    request: VerifyRequest,
  ): Promise<Verification & { readonly keys: readonly InstallationKey[] }> {
    assertOperator(caller);
    return this.#verify(request);
  }

  /** @param also is done on the very trail that was verified */
  async #verify(
    request: VerifyRequest,
    also?: (snapshot: StoredSnapshot) => Promise<void>,
  ): Promise<Verification & { readonly keys: readonly InstallationKey[] }> {
    const { store, authority } = this.#deps;
    const keys = authority.keys().map(({ keyId, publicKey }) => ({ keyId, publicKey }));
    const of = await store.estimate();
    const result = await store.read(async (snapshot) => {
      const verification = await verifyTrail(snapshot, {
        keys,
        report: request.report,
        anchor: request.checkpoint,
        installation: await snapshot.installation(),
        progress: (rows) => request.progress?.(rows, Math.max(rows, of)),
      });
      await also?.(snapshot);
      return verification;
    });
    return { ...result, keys };
  }

  /**
   * Hands out the trail, with all that it can be verified by at another place. That somebody has taken it is a row of it, and
   * written before: where the database takes no row, nothing is handed out.
   * @param write is given the text piece by piece
   * @returns how many rows
   * @throws ServiceError 'right.missing' for anybody but an operator
   */
  async export(
    caller: Caller,
    { format, ...period }: AuditPeriod & { readonly format: ExportFormat },
    write: (text: string) => Promise<void>,
  ): Promise<number> {
    assertOperator(caller);
    const { store, authority, clock } = this.#deps;
    const { since, until } = period;
    const from = since === undefined ? '' : `, since ${since.toISOString()}`;
    const to = until === undefined ? '' : `, until ${until.toISOString()}`;
    await store.note(actOf(caller, 'audit/export'), `handed out as ${format}${from}${to}`);
    return await store.read((snapshot) =>
      exportTrail(snapshot, { keys: authority.keys(), at: clock.now(), format, period, write }),
    );
  }

  /**
   * Takes away whole months. The trail verifies afterwards as it did before.
   * @param before from the month of this instant on, everything is kept
   * @param force also where the trail does not verify
   * @throws ServiceError 'right.missing' for anybody but an operator, 'parameter.invalid' for months that are not over,
   *   'audit.unverifiable'
   */
  async prune(caller: Caller, { before, force }: { before: Date; force: boolean }): Promise<Pruned> {
    assertOperator(caller);
    const cut = new Date(Date.UTC(before.getUTCFullYear(), before.getUTCMonth(), 1));
    if (cut > this.#deps.clock.now()) {
      throw new ServiceError('parameter.invalid', 'Only months that are over can be pruned');
    }
    let verified: PruningPlan | undefined;
    if (!force) {
      const { findings } = await this.#verify({ report: () => undefined }, async (snapshot) => {
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
