import { BackgroundLoop, type LoopPace } from '../kernel/background-loop.ts';
import { KeyedCounts } from '../kernel/bounded-work.ts';
import type { StatusWaitMetrics, WaitEnd } from './challenge-metrics.ts';
import type { AwaitedState, ChallengeStore } from './challenge-store.ts';
import { type Clock, parseDuration } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Caller } from '../policy/caller.ts';
import { declineOf, isDropped } from './challenge.ts';
import type { ChallengeService, StatusEntry, StatusReference } from './challenge-service.ts';

export interface Waited {
  readonly end: WaitEnd;
  /** The state at the end; undefined: the challenge is no longer stored. */
  readonly state: AwaitedState | undefined;
}

export interface StatusWait {
  readonly id: string;
  readonly administrator: string;
  /** The state that the client knows. */
  readonly since: AwaitedState;
  /** The longest wait, in milliseconds. */
  readonly waitMs: number;
  /** Milliseconds until the challenge expires. */
  readonly openMs: number;
}

export interface WaitingRequestsDependencies {
  readonly challenges: Pick<ChallengeStore, 'states'>;
  readonly metrics?: Pick<StatusWaitMetrics, 'waitingAre' | 'waitEnded'> | undefined;
  /** The most requests that wait at once; half of them may be of one administrator. */
  readonly max: number;
  /** Milliseconds between two readings of all states; default: a second. */
  readonly poll?: number | undefined;
}

interface RunningWait extends StatusWait {
  readonly overAt: number;
  readonly expiresAt: number;
  readonly gone: AbortSignal;
  readonly leave: () => void;
  readonly resolve: (waited: Waited) => void;
  readonly reject: (fault: unknown) => void;
}

const POLL_MS = 1_000;
/** The rest while no request waits; the next one ends it. */
const IDLE_MS = 600_000;
/** The divisor of the places for one administrator. */
const ADMINISTRATOR_DIVISOR = 2;
/** The longest wait of `end` for a reading that is under way, in milliseconds. */
const LAST_READ_TIMEOUT_MS = 500;

/**
 * Requests of this process that wait for the change of a transaction's state. They hold no connection to the database:
 * once a second, and when the time of one is over, one statement reads the states for all of them.
 */
export class WaitingRequests {
  readonly #deps: WaitingRequestsDependencies;
  readonly #loop = new BackgroundLoop((pace) => this.#turn(pace), LAST_READ_TIMEOUT_MS);
  readonly #waiting = new Set<RunningWait>();
  readonly #ofAdministrators = new KeyedCounts();
  #isStarted = false;
  #isEnded = false;

  constructor(options: WaitingRequestsDependencies) {
    this.#deps = options;
  }

  /**
   * Waits for a change, outside of any transaction.
   * @param gone aborted when the client leaves, whose place is then free at once
   * @throws ServiceError 'database.unavailable' where the state cannot be read at the end
   */
  async wait(requested: StatusWait, gone: AbortSignal): Promise<Waited> {
    const refusal = this.#refusal(requested.administrator, gone);
    if (refusal !== undefined) {
      this.#deps.metrics?.waitEnded(refusal);
      return { end: refusal, state: requested.since };
    }
    return new Promise((resolve, reject) => {
      this.#enter(requested, gone, { resolve, reject });
    });
  }

  /** Ends all waits at once, and each later one. */
  async end(): Promise<void> {
    this.#isEnded = true;
    for (const waiting of this.#waiting) {
      this.#finish(waiting, { end: 'stopping', state: waiting.since });
    }
    await this.#loop.stop();
  }

  #refusal(administrator: string, gone: AbortSignal): WaitEnd | undefined {
    if (gone.aborted) {
      return 'gone';
    }
    if (this.#isEnded) {
      return 'stopping';
    }
    const { max } = this.#deps;
    const own = this.#ofAdministrators.of(administrator);
    return this.#waiting.size >= max || own >= Math.max(1, Math.floor(max / ADMINISTRATOR_DIVISOR))
      ? 'full'
      : undefined;
  }

  #enter(requested: StatusWait, gone: AbortSignal, ending: Pick<RunningWait, 'resolve' | 'reject'>): void {
    const now = performance.now();
    const waiting: RunningWait = {
      ...requested,
      ...ending,
      overAt: now + requested.waitMs,
      expiresAt: now + requested.openMs,
      gone,
      leave: () => {
        this.#finish(waiting, { end: 'gone', state: requested.since });
      },
    };
    gone.addEventListener('abort', waiting.leave);
    this.#waiting.add(waiting);
    this.#count(requested.administrator, 1);
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#loop.start();
    }
    this.#loop.wake();
  }

  async #turn({ rest, restUntilWoken }: LoopPace): Promise<void> {
    if (this.#waiting.size === 0) {
      await restUntilWoken(IDLE_MS);
      return;
    }
    await this.#readStates([...this.#waiting]);
    const ends = [...this.#waiting].map((waiting) => endsAt(waiting) - performance.now());
    await rest(Math.max(0, Math.ceil(Math.min(this.#deps.poll ?? POLL_MS, ...ends))));
  }

  async #readStates(due: readonly RunningWait[]): Promise<void> {
    try {
      const states = await this.#deps.challenges.states([...new Set(due.map(({ id }) => id))]);
      const now = performance.now();
      for (const waiting of due) {
        const waited = endOf(waiting, states.get(waiting.id), now);
        if (waited !== undefined) {
          this.#finish(waiting, waited);
        }
      }
    } catch (fault) {
      const now = performance.now();
      due
        .filter((waiting) => now >= endsAt(waiting))
        .forEach((waiting) => {
          this.#fail(waiting, fault);
        });
    }
  }

  #finish(waiting: RunningWait, waited: Waited): void {
    if (this.#leave(waiting)) {
      this.#deps.metrics?.waitEnded(waited.end);
      waiting.resolve(waited);
    }
  }

  #fail(waiting: RunningWait, fault: unknown): void {
    if (this.#leave(waiting)) {
      waiting.reject(fault);
    }
  }

  /** @returns false if it has left before */
  #leave(waiting: RunningWait): boolean {
    if (!this.#waiting.delete(waiting)) {
      return false;
    }
    waiting.gone.removeEventListener('abort', waiting.leave);
    this.#count(waiting.administrator, -1);
    return true;
  }

  #count(administrator: string, change: 1 | -1): void {
    this.#ofAdministrators.change(administrator, change);
    this.#deps.metrics?.waitingAre(this.#waiting.size);
  }
}

function endsAt({ overAt, expiresAt }: RunningWait): number {
  return Math.min(overAt, expiresAt);
}

/** @returns undefined while the wait goes on */
function endOf(waiting: RunningWait, state: AwaitedState | undefined, now: number): Waited | undefined {
  if (state === undefined) {
    return { end: 'closed', state };
  }
  if (!isSameState(waiting.since, state)) {
    return { end: 'changed', state };
  }
  if (state.closedBy !== null || now >= waiting.expiresAt) {
    return { end: 'closed', state };
  }
  return now >= waiting.overAt ? { end: 'over', state } : undefined;
}

/** The part of a state that a client sees. */
type KnownState = Pick<AwaitedState, 'receivedTan' | 'validTan' | 'failCount'>;

/** @returns true if a client sees no difference */
function isSameState(one: KnownState, other: KnownState): boolean {
  return (
    one.receivedTan === other.receivedTan &&
    one.validTan === other.validTan &&
    one.failCount === other.failCount
  );
}

interface AwaitedStatus extends StatusReference {
  /** The longest wait: `20S` or `20`, at most `60S`. */
  readonly wait: string;
  /** The state that the client has: `received_tan,valid_tan,failcount`, as in `false,false,0`. Default: the present one. */
  readonly known?: string | undefined;
}

/** The state at the end of a wait. */
interface AwaitedAnswer {
  readonly entries: readonly StatusEntry[];
  readonly end: WaitEnd;
}

/** Seconds. */
const MAX_WAIT = 60;

/** The state of a transaction, as soon as it changes. */
export class StatusWaitService {
  readonly #deps;

  constructor(dependencies: {
    readonly ocra: Pick<ChallengeService, 'status'>;
    readonly clock: Clock;
    readonly waiting: Pick<WaitingRequests, 'wait'>;
    readonly metrics?: Pick<StatusWaitMetrics, 'waitEnded'> | undefined;
  }) {
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
      const { end, state } = await this.#deps.waiting.wait(
        { id: entry.id, administrator, since, waitMs, openMs },
        gone,
      );
      const { receivedTan, validTan, failCount, active, locked } = state ?? since;
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
                  active,
                  locked,
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
