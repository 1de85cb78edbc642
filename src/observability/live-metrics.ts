import { Gauge, type Registry } from 'prom-client';
import type { LiveMetrics } from '../monitoring/live/live-streams.ts';

/** Metrics of the streams to browsers. */
export class PrometheusLiveMetrics implements LiveMetrics {
  readonly #open: Gauge;

  constructor(registry: Registry) {
    this.#open = new Gauge({
      name: 'tankeeper_live_streams',
      help: 'Streams of events to browsers that are open',
      registers: [registry],
    });
  }

  streamsAre(count: number): void {
    this.#open.set(count);
  }
}
