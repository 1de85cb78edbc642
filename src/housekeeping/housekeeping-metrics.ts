import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../kernel/clock.ts';
import type { HousekeepingTally } from './housekeeping.ts';

export class HousekeepingMetrics {
  readonly #clock: Clock;
  readonly #backlog: Gauge<'what'>;
  readonly #removed: Counter<'what'>;
  readonly #rounds: Counter<'outcome'>;
  readonly #lastRound: Gauge;
  /** The rows of each kind that are due, as far as this server knows. */
  readonly #due = new Map<HousekeepingTally['chore'], number>();

  constructor({ registry, clock }: { readonly registry: Registry; readonly clock: Clock }) {
    const registers = [registry];
    this.#clock = clock;
    this.#backlog = new Gauge({
      name: 'tankeeper_housekeeping_backlog_rows',
      help: 'Rows that are due to be removed, as of the last look, counted up to a million',
      labelNames: ['what'],
      registers,
    });
    this.#removed = new Counter({
      name: 'tankeeper_housekeeping_removed_rows_total',
      help: 'Rows that this server has removed',
      labelNames: ['what'],
      registers,
    });
    this.#rounds = new Counter({
      name: 'tankeeper_housekeeping_rounds_total',
      help: 'Ended rounds of housekeeping, by whether this server or another one did the work',
      labelNames: ['outcome'],
      registers,
    });
    this.#lastRound = new Gauge({
      name: 'tankeeper_housekeeping_last_round_timestamp_seconds',
      help: 'When the last round ended; 0 before the first one',
      registers,
    });
  }

  backlogIs({ chore, rows }: HousekeepingTally): void {
    this.#due.set(chore, rows);
    this.#backlog.set({ what: chore }, rows);
  }

  /** Counts removed rows. More may be removed than were due at the last look. */
  rowsRemoved({ chore, rows }: HousekeepingTally): void {
    this.#removed.inc({ what: chore }, rows);
    this.backlogIs({ chore, rows: Math.max(0, (this.#due.get(chore) ?? 0) - rows) });
  }

  /** Counts a finished round, in which all due rows were removed, or another server removed them. */
  roundDone(outcome: 'done' | 'left to another server'): void {
    this.#rounds.inc({ outcome });
    this.#lastRound.set(this.#clock.now().getTime() / 1000);
  }
}
