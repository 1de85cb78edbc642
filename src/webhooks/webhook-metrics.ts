import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import type { Backlog } from './delivery-store.ts';

/** Upper bounds in seconds; a request takes ten at most. */
const DURATIONS = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10];

/** Metrics of webhooks. The label is the name of a receiver, of which there are few. */
export class WebhookMetrics {
  readonly #attempts: Counter<'webhook' | 'outcome'>;
  readonly #durations: Histogram<'outcome'>;
  readonly #dropped: Counter<'webhook'>;
  readonly #waiting: Gauge<'webhook'>;
  readonly #givenUp: Gauge<'webhook'>;
  readonly #oldest: Gauge<'webhook'>;

  constructor({ registry }: { readonly registry: Registry }) {
    const registers = [registry];
    this.#attempts = new Counter({
      name: 'tankeeper_webhook_attempts_total',
      help: 'Requests to receivers of events, by outcome: delivered or failed',
      labelNames: ['webhook', 'outcome'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'tankeeper_webhook_attempt_duration_seconds',
      help: 'Time of requests to receivers of events',
      labelNames: ['outcome'],
      buckets: DURATIONS,
      registers,
    });
    this.#dropped = new Counter({
      name: 'tankeeper_webhook_dropped_total',
      help: 'Deliveries lost, as too many waited for the receiver',
      labelNames: ['webhook'],
      registers,
    });
    const gauge = (name: string, help: string): Gauge<'webhook'> =>
      new Gauge({ name, help, labelNames: ['webhook'], registers });
    this.#waiting = gauge(
      'tankeeper_webhook_waiting_deliveries',
      'Deliveries that wait, as of the last look',
    );
    this.#givenUp = gauge(
      'tankeeper_webhook_given_up_deliveries',
      'Deliveries that were given up and are kept',
    );
    this.#oldest = gauge(
      'tankeeper_webhook_oldest_waiting_seconds',
      'Age of the oldest event that waits; 0: none',
    );
  }

  deliveryAttempted(webhook: string, outcome: 'delivered' | 'failed', seconds: number): void {
    this.#attempts.inc({ webhook, outcome });
    this.#durations.observe({ outcome }, seconds);
  }

  deliveriesDropped(webhook: string, deliveries: number): void {
    this.#dropped.inc({ webhook }, deliveries);
  }

  backlogsAre(backlogs: readonly Backlog[]): void {
    for (const gauge of [this.#waiting, this.#givenUp, this.#oldest]) {
      gauge.reset();
    }
    for (const { webhook, waiting, givenUp, oldestAge } of backlogs) {
      this.#waiting.set({ webhook }, waiting);
      this.#givenUp.set({ webhook }, givenUp);
      this.#oldest.set({ webhook }, oldestAge);
    }
  }
}
