import type { AuditRetention } from '../audit/audit-service.ts';
import { actOf, assertOperator, type Caller } from '../policy/caller.ts';
import { type BackgroundLoop, type RoundOutcome, backgroundRounds } from '../kernel/background-loop.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { HousekeepingMetrics } from './housekeeping-metrics.ts';
import type { HousekeepingStore } from './housekeeping-store.ts';
import {
  type HousekeepingChore,
  type HousekeepingMoments,
  type HousekeepingTally,
  momentsAt,
} from './housekeeping.ts';
import type { PruningClock } from './pruning-clock-store.ts';

/**
 * Removes rows that no answer depends on any more: long expired challenges, ended sessions and limits. Nothing waits
 * for it: expired rows are refused at once, removed or not.
 */
export class HousekeepingService {
  readonly #deps;

  constructor(dependencies: {
    readonly store: HousekeepingStore;
    readonly clock: Clock;
    readonly pruningClock: Pick<PruningClock, 'time' | 'confirm'>;
    /** Seconds for which the status of a challenge remains available after its end. */
    readonly challengeRetention: number;
    readonly metrics?: Pick<HousekeepingMetrics, 'backlogIs' | 'rowsRemoved' | 'roundDone'> | undefined;
    /** Undefined: months of the audit stay. */
    readonly auditRetention?: Pick<AuditRetention, 'isOn' | 'due' | 'remove'>;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Counts and changes nothing.
   * @returns the number of due rows of each kind, counted up to a million
   * @throws ServiceError 'right.missing' for a caller who is no operator
   */
  async due(caller: Caller): Promise<readonly HousekeepingTally[]> {
    assertOperator(caller, 'Housekeeping is done');
    return this.#backlog(this.#deps.clock.now());
  }

  /**
   * Removes all due rows at once.
   * @param confirmsTime takes the present time for right, although the database's clock has jumped
   * @returns the number of removed rows of each kind; undefined when another server is removing them, and nothing was
   *   done here
   * @throws ServiceError 'right.missing' for a caller who is no operator, 'clock.doubtful'
   */
  async run(caller: Caller, confirmsTime = false): Promise<readonly HousekeepingTally[] | undefined> {
    assertOperator(caller, 'Housekeeping is done');
    const { store, pruningClock } = this.#deps;
    const act = actOf(caller, 'housekeeping/run');
    if (confirmsTime) {
      await pruningClock.confirm();
      await store.note(act, 'confirmed the time');
    }
    const removed = await this.#clear(await pruningClock.time(), new AbortController().signal);
    if (removed !== undefined) {
      const what = removed.map(({ chore, rows }) => `${rows} ${chore}`).join(', ');
      await store.note(act, `removed ${what}`);
    }
    return removed;
  }

  /**
   * The periodic work of each server: measures the backlog, and removes it unless another server does.
   * @param signal ends it early
   * @returns the number of removed rows
   * @throws ServiceError 'clock.doubtful'
   */
  async round(signal: AbortSignal): Promise<number> {
    const { metrics, clock, pruningClock } = this.#deps;
    const reportBacklog = async (): Promise<void> => {
      for (const tally of await this.#backlog(clock.now())) {
        metrics?.backlogIs(tally);
      }
    };
    await reportBacklog();
    const removed = await this.#clear(await pruningClock.time(), signal);
    if (!signal.aborted) {
      await reportBacklog();
      metrics?.roundDone(removed === undefined ? 'left to another server' : 'done');
    }
    return (removed ?? []).reduce((sum, { rows }) => sum + rows, 0);
  }

  async #backlog(now: Date): Promise<readonly HousekeepingTally[]> {
    const { store, auditRetention } = this.#deps;
    const tallies = await store.backlog(this.#moments(now));
    return auditRetention?.isOn === true
      ? [...tallies, { chore: 'audit months', rows: await auditRetention.due(now) }]
      : tallies;
  }

  /** @param now decides everything, so that a clock that jumps meanwhile removes nothing */
  async #clear(now: Date, signal: AbortSignal): Promise<readonly HousekeepingTally[] | undefined> {
    const sums = new Map<HousekeepingChore, number>([
      ['challenges', 0],
      ['sessions', 0],
      ['rate limits', 0],
      ['response minutes', 0],
    ]);
    const { auditRetention } = this.#deps;
    if (auditRetention?.isOn === true) {
      sums.set('audit months', 0);
    }
    const addTally = (tally: HousekeepingTally): void => {
      sums.set(tally.chore, (sums.get(tally.chore) ?? 0) + tally.rows);
      this.#deps.metrics?.rowsRemoved(tally);
    };
    const also = async (): Promise<void> => {
      const rows = (await auditRetention?.remove(now)) ?? 0;
      if (rows > 0) {
        addTally({ chore: 'audit months', rows });
      }
    };
    const options = { signal, removed: addTally, ...(auditRetention?.isOn === true && { also }) };
    const isOurs = await this.#deps.store.clear(this.#moments(now), options);
    return isOurs ? [...sums].map(([chore, rows]) => ({ chore, rows })) : undefined;
  }

  #moments(now: Date): HousekeepingMoments {
    return momentsAt(now, this.#deps.challengeRetention);
  }
}

/** Milliseconds from the start to the first round; less if the interval is shorter. */
const FIRST_MS = 5_000;

/**
 * @returns a loop that runs the housekeeping outside of requests. Every server may run it: one at a time does the work
 */
export function housekeepingRounds({
  round,
  interval,
  log,
  ended,
}: {
  /** @returns the number of removed rows */
  readonly round: (signal: AbortSignal) => Promise<number>;
  /** Approximate milliseconds between two rounds. */
  readonly interval: number;
  readonly log: Log;
  /** Called at the end of each round. */
  readonly ended?: ((outcome: RoundOutcome) => void) | undefined;
}): BackgroundLoop {
  const component = 'housekeeping';
  return backgroundRounds({
    component,
    log,
    ended,
    warning: 'Housekeeping fails: old rows stay, and change no answer',
    pause: interval,
    firstPause: Math.min(FIRST_MS, interval),
    round: async (signal) => {
      const count = await round(signal);
      if (count > 0) {
        log.info('Housekeeping has removed what was old', { component, count });
      }
      return false;
    },
  });
}
