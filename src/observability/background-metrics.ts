import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../kernel/clock.ts';
import type { RoundOutcome } from '../kernel/background-loop.ts';

/** The parts of a server that work in the background. */
const COMPONENTS = ['audit', 'counts', 'housekeeping', 'observations'] as const;

/** Metrics of the work outside of requests. */
export class BackgroundMetrics {
  readonly #clock: Clock;
  readonly #rounds: Counter<'component' | 'outcome'>;
  readonly #last: Gauge<'component'>;

  constructor({ registry, clock }: { readonly registry: Registry; readonly clock: Clock }) {
    const registers = [registry];
    this.#clock = clock;
    this.#rounds = new Counter({
      name: 'tankeeper_background_rounds_total',
      help: 'Rounds of work in the background by component (audit: checkpoints, counts: folding, housekeeping, observations: responses and uses of resolvers) and outcome (done, failed)',
      labelNames: ['component', 'outcome'],
      registers,
    });
    this.#last = new Gauge({
      name: 'tankeeper_background_last_success_timestamp_seconds',
      help: 'Time of the last successful round of a component; no value before the first one',
      labelNames: ['component'],
      registers,
    });
    for (const component of COMPONENTS) {
      this.#rounds.inc({ component, outcome: 'done' }, 0);
      this.#rounds.inc({ component, outcome: 'failed' }, 0);
    }
  }

  /** @returns a function to call at the end of each round of this component */
  roundsOf(component: (typeof COMPONENTS)[number]): (outcome: RoundOutcome) => void {
    return (outcome) => {
      this.#rounds.inc({ component, outcome });
      if (outcome === 'done') {
        this.#last.set({ component }, this.#clock.now().getTime() / 1000);
      }
    };
  }
}
