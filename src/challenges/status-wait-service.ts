import type { StatusWaitMetrics, WaitEnd } from './challenge-metrics.ts';
import { type Clock, parseDuration } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Caller } from '../policy/caller.ts';
import { declineOf, isDropped } from './challenge.ts';
import type { ChallengeService, StatusEntry, StatusReference } from './challenge-service.ts';
import { isSameState, type KnownState, type StatusWatch } from './status-watch.ts';

interface StatusWaitDependencies {
  readonly ocra: Pick<ChallengeService, 'status'>;
  readonly clock: Clock;
  readonly watch: Pick<StatusWatch, 'wait'>;
  readonly metrics?: Pick<StatusWaitMetrics, keyof StatusWaitMetrics> | undefined;
}

/** A transaction whose change is waited for. */
export interface AwaitedStatus extends StatusReference {
  /** The longest wait: `20S` or `20`, at most `60S`. */
  readonly wait: string;
  /** The state that the client has: `received_tan,valid_tan,failcount`, as in `false,false,0`. Default: the present one. */
  readonly known?: string | undefined;
}

/** The state at the end of a wait. */
export interface AwaitedAnswer {
  readonly entries: readonly StatusEntry[];
  readonly end: WaitEnd;
}

/** Seconds. */
const MAX_WAIT = 60;

/** The state of a transaction, as soon as it changes. */
export class StatusWaitService {
  readonly #deps: StatusWaitDependencies;

  constructor(dependencies: StatusWaitDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Checks the right and reads the present state.
   * @returns a function that waits; its signal is aborted when the client leaves
   * @throws ServiceError 'right.missing', 'parameter.missing' without a transaction, 'parameter.invalid',
   *   'duration.invalid'
   */
  async begin(
    caller: Caller,
    requested: AwaitedStatus,
  ): Promise<(gone: AbortSignal) => Promise<AwaitedAnswer>> {
    const { wait, known, ...reference } = requested;
    const waitMs = readWait(wait) * 1000;
    const knownState = known === undefined ? undefined : readKnown(known);
    if ((reference.transactionId ?? '') === '') {
      throw new ServiceError('parameter.missing', 'transactionid, as wait is for one transaction', {
        parameters: ['transactionid'],
      });
    }
    const entries = await this.#deps.ocra.status(caller, reference);
    const [entry] = entries;
    if (entry === undefined) {
      return () => this.#endAtOnce([], 'closed');
    }
    if (knownState !== undefined && !isSameState(knownState, entry)) {
      return () => this.#endAtOnce(entries, 'changed');
    }
    const openMs = this.#openMs(entry);
    if (openMs <= 0 || waitMs === 0) {
      return () => this.#endAtOnce(entries, openMs <= 0 ? 'closed' : 'over');
    }
    const { administrator } = caller.principal;
    return async (gone) => {
      const since = { ...entry, closedBy: null };
      const { end, state } = await this.#deps.watch.wait(
        { id: entry.id, administrator, since, waitMs, openMs },
        gone,
      );
      const { receivedTan, validTan, failCount } = state ?? since;
      return {
        end,
        entries:
          state === undefined
            ? []
            : [
                {
                  ...entry,
                  receivedTan,
                  validTan,
                  failCount,
                  dropped: isDropped(state),
                  declined: declineOf(state),
                },
              ],
      };
    };
  }

  /** @returns milliseconds in which it still takes responses */
  #openMs({ validTan, dropped, expiresAt }: StatusEntry): number {
    return validTan || dropped ? 0 : expiresAt.getTime() - this.#deps.clock.now().getTime();
  }

  #endAtOnce(entries: readonly StatusEntry[], end: WaitEnd): Promise<AwaitedAnswer> {
    this.#deps.metrics?.waitEnded(end);
    return Promise.resolve({ entries, end });
  }
}

/** @returns seconds */
function readWait(text: string): number {
  const seconds = parseDuration(text);
  if (seconds > MAX_WAIT) {
    throw new ServiceError('parameter.invalid', `wait is at most ${MAX_WAIT}S`);
  }
  return seconds;
}

function readKnown(text: string): KnownState {
  const [, received, valid, failCount] = /^(true|false),(true|false),(\d{1,10})$/.exec(text.trim()) ?? [];
  if (failCount === undefined) {
    throw new ServiceError(
      'parameter.invalid',
      'known is received_tan,valid_tan,failcount, such as false,false,0',
    );
  }
  return { receivedTan: received === 'true', validTan: valid === 'true', failCount: Number(failCount) };
}
