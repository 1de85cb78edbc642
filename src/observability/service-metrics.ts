import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../kernel/clock.ts';
import type { ResolverMetrics } from '../monitoring/ports.ts';
import { PrometheusHousekeepingMetrics } from './housekeeping-metrics.ts';
import { PrometheusWebhookMetrics } from './webhook-metrics.ts';

/** The use of the connections to the database. */
interface PoolUsage {
  readonly used: number;
  readonly free: number;
  /** Number of requests that wait for a connection. */
  readonly waiting: number;
}

/** The values of all metrics of a process, which JSON can carry. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The end of a request: the class of its status, or `aborted` when the client did not wait for the answer. */
interface RequestEnd {
  readonly endpoint: string;
  readonly status: string;
}

/**
 * Upper bounds of the histogram, in seconds: most answers take milliseconds, an unavailable resolver takes its time
 * limit.
 */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Metrics of the service, in Prometheus' text format. Fits the metrics ports of the concepts. A label is the path of an
 * endpoint or the name of a resolver, never text of a client, so the configuration bounds the number of series.
 */
export class ServiceMetrics implements ResolverMetrics {
  /** Metrics of housekeeping. */
  readonly housekeeping: PrometheusHousekeepingMetrics;
  /** Metrics of webhooks. */
  readonly webhooks: PrometheusWebhookMetrics;
  readonly #registry = new Registry();
  readonly #requests: Counter<'endpoint' | 'status'>;
  readonly #durations: Histogram<'endpoint'>;
  readonly #deprecatedPosts: Counter<'endpoint'>;
  readonly #refusals: Counter<'limit'>;
  readonly #failures: Counter<'resolver'>;
  readonly #staleAnswers: Counter<'resolver'>;
  readonly #counted = new Map<string, Date>();

  constructor({ clock }: { readonly clock: Clock }) {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: 'tankeeper_http_requests_total',
      help: 'Requests by endpoint and class of status',
      labelNames: ['endpoint', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'tankeeper_http_request_duration_seconds',
      help: 'Time from the arrival of a request to the end of its answer',
      labelNames: ['endpoint'],
      buckets: DURATIONS,
      registers,
    });
    this.#deprecatedPosts = new Counter({
      name: 'tankeeper_monitoring_post_requests_total',
      help: 'Deprecated uses of POST on /monitoring',
      labelNames: ['endpoint'],
      registers,
    });
    this.#refusals = new Counter({
      name: 'tankeeper_refused_total',
      help: 'Requests and connections that were refused because a limit was reached',
      labelNames: ['limit'],
      registers,
    });
    this.#failures = new Counter({
      name: 'tankeeper_resolver_failures_total',
      help: 'Times that a resolver was asked for the number of its users and failed, or did not answer in time',
      labelNames: ['resolver'],
      registers,
    });
    this.#staleAnswers = new Counter({
      name: 'tankeeper_resolver_stale_answers_total',
      help: 'Answers that went out with the last known number of users of a resolver',
      labelNames: ['resolver'],
      registers,
    });
    this.#measureAges(clock);
    this.webhooks = new PrometheusWebhookMetrics({ registry: this.#registry });
    this.housekeeping = new PrometheusHousekeepingMetrics({ registry: this.#registry, clock });
  }

  /** Adds metrics of the process: memory, processor time, event loop. Called once only. */
  measureProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Adds metrics of the connections to the database. Called once only. */
  measureDatabase(usage: () => PoolUsage): void {
    new Gauge({
      name: 'tankeeper_database_connections',
      help: 'Connections to the database',
      labelNames: ['state'],
      registers: [this.#registry],
      collect() {
        const { used, free } = usage();
        this.set({ state: 'used' }, used);
        this.set({ state: 'free' }, free);
      },
    });
    new Gauge({
      name: 'tankeeper_database_waiting',
      help: 'Requests that wait for a connection to the database',
      registers: [this.#registry],
      collect() {
        this.set(usage().waiting);
      },
    });
  }

  /**
   * Adds metrics of the workers of a server. Called once only.
   * @param running returns the number of workers that answer requests
   * @returns a function to call when a worker is started again
   */
  measureWorkers(running: () => number): () => void {
    const registers = [this.#registry];
    new Gauge({
      name: 'tankeeper_workers',
      help: 'Workers that answer requests',
      registers,
      collect() {
        this.set(running());
      },
    });
    const restarts = new Counter({
      name: 'tankeeper_worker_restarts_total',
      help: 'Workers that ended by themselves and were started again',
      registers,
    });
    return () => {
      restarts.inc();
    };
  }

  /** @returns a function to call when the request is answered or aborted */
  requestBegun(): (end: RequestEnd) => void {
    const stop = this.#durations.startTimer();
    return ({ endpoint, status }) => {
      stop({ endpoint });
      this.#requests.inc({ endpoint, status });
    };
  }

  deprecatedPost(endpoint: string): void {
    this.#deprecatedPosts.inc({ endpoint });
  }

  /** Counts a refused request or connection. */
  limitReached(limit: string): void {
    this.#refusals.inc({ limit });
  }

  resolverFailed(resolver: string): void {
    this.#failures.inc({ resolver });
  }

  staleAnswered(resolver: string): void {
    this.#staleAnswers.inc({ resolver });
  }

  lastCounted(resolver: string, at: Date): void {
    this.#counted.set(resolver, at);
  }

  resolverForgotten(resolver: string): void {
    this.#counted.delete(resolver);
    this.#failures.remove({ resolver });
    this.#staleAnswers.remove({ resolver });
  }

  /** The media type of the text. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** @returns all metrics at present */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** @returns all metrics at present, to be added to those of other processes */
  snapshot(): Promise<MetricsSnapshot> {
    return this.#registry.getMetricsAsJSON();
  }

  #measureAges(clock: Clock): void {
    const counted = this.#counted;
    new Gauge({
      name: 'tankeeper_resolver_count_age_seconds',
      help: 'Time since the users of a resolver were counted last',
      labelNames: ['resolver'],
      aggregator: 'max',
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [resolver, at] of counted) {
          this.set({ resolver }, Math.max(0, (clock.now().getTime() - at.getTime()) / 1000));
        }
      },
    });
  }
}
