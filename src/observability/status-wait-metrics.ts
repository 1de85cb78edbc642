import { Counter, Gauge, type Registry } from 'prom-client';
import { type StatusWaitMetrics, WAIT_ENDS, type WaitEnd } from '../challenges/status-watch.ts';

/** Metrics of requests that wait for the state of a transaction. */
export class PrometheusStatusWaitMetrics implements StatusWaitMetrics {
  readonly #waiting: Gauge;
  readonly #ended: Counter<'end'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#waiting = new Gauge({
      name: 'tankeeper_status_waiting_requests',
      help: 'Requests that wait for the state of a transaction to change',
      registers,
    });
    this.#ended = new Counter({
      name: 'tankeeper_status_waits_total',
      help: 'Such waits by their end: changed, closed (the transaction takes no more responses), over (the time), full (too many waited), stopping (the server), gone (the client)',
      labelNames: ['end'],
      registers,
    });
    for (const end of WAIT_ENDS) {
      this.#ended.inc({ end }, 0);
    }
  }

  waitingAre(count: number): void {
    this.#waiting.set(count);
  }

  waitEnded(end: WaitEnd): void {
    this.#ended.inc({ end });
  }
}
