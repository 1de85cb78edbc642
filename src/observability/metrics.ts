import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ChallengeMetrics, StatusWaitMetrics } from '../challenges/challenge-metrics.ts';
import type { Database } from '../database/database.ts';
import { HousekeepingMetrics } from '../housekeeping/housekeeping-metrics.ts';
import type { RoundOutcome } from '../kernel/background-loop.ts';
import type { Clock } from '../kernel/clock.ts';
import { measureFindings, measureInstallation } from '../monitoring/installation-metrics.ts';
import type { Finding } from '../doctor/finding.ts';
import type { InstallationState } from '../monitoring/installation-state.ts';
import { ResolverMetrics } from '../monitoring/resolver-metrics.ts';
import { WebhookMetrics } from '../webhooks/webhook-metrics.ts';

interface DeclaredMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/** The end of a request: the class of its status, or `aborted` when the client did not wait for the answer. */
interface RequestEnd {
  readonly endpoint: string;
  readonly status: string;
  /** Milliseconds for which it waited as the client requested; default: 0. */
  readonly waitedMs?: number;
}

/**
 * Upper bounds of the histogram, in seconds: most answers take milliseconds, an unavailable resolver takes its time
 * limit.
 */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Gauges of prom-client with a name that is reserved for counters; each is the sum of one with labels. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * Metrics of the service, in Prometheus' text format. A label is the path of an endpoint, the name of a resolver, a
 * realm or a word of a closed list, never text of a client, so that the number of series is bounded.
 */
export class ServiceMetrics {
  readonly challenges: ChallengeMetrics;
  readonly statusWaits: StatusWaitMetrics;
  readonly resolvers: ResolverMetrics;
  readonly housekeeping: HousekeepingMetrics;
  readonly webhooks: WebhookMetrics;
  /** Metrics of all work outside of requests. */
  readonly background: BackgroundMetrics;
  readonly #registry = new Registry();
  readonly #clock: Clock;
  readonly #requests: Counter<'endpoint' | 'status'>;
  readonly #durations: Histogram<'endpoint'>;
  readonly #deprecatedPosts: Counter<'endpoint'>;
  readonly #refusals: Counter<'limit'>;

  constructor({ clock }: { readonly clock: Clock }) {
    const registry = this.#registry;
    const registers = [registry];
    this.#clock = clock;
    this.#requests = new Counter({
      name: 'tankeeper_http_requests_total',
      help: 'Requests by endpoint and class of status: 2xx to 5xx, or aborted if the client did not wait',
      labelNames: ['endpoint', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'tankeeper_http_request_duration_seconds',
      help: 'Time from arrival to the end of the answer, without waits that the client asked for',
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
      name: 'tankeeper_limit_refusals_total',
      help: 'Requests and connections that a limit has refused',
      labelNames: ['limit'],
      registers,
    });
    this.challenges = new ChallengeMetrics(registry);
    this.statusWaits = new StatusWaitMetrics(registry);
    this.resolvers = new ResolverMetrics({ registry, clock });
    this.housekeeping = new HousekeepingMetrics({ registry, clock });
    this.background = new BackgroundMetrics({ registry, clock });
    this.webhooks = new WebhookMetrics({ registry });
  }

  /** Adds metrics of the process: memory, processor time, event loop. Called once only. */
  measureProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
    MISNAMED.forEach((name) => {
      this.#registry.removeSingleMetric(name);
    });
  }

  /** Adds metrics of the server as a whole, and of its build. Called once only. */
  measureServer({ version }: { readonly version: string }): void {
    const registers = [this.#registry];
    const clock = this.#clock;
    new Gauge({
      name: 'tankeeper_clock_offset_seconds',
      help: "Seconds by which the machine's clock is ahead of the database's",
      registers,
      collect() {
        this.set((clock.offset ?? 0) / 1000);
      },
    });
    new Gauge({
      name: 'tankeeper_build_info',
      help: 'The program: its version and that of Node.js; always 1',
      labelNames: ['version', 'node'],
      registers,
    }).set({ version, node: process.versions.node }, 1);
    new Gauge({
      name: 'tankeeper_start_time_seconds',
      help: 'Start of the server',
      registers,
    }).set(this.#clock.now().getTime() / 1000);
  }

  /**
   * Adds metrics of the installation. Called once only.
   * @param read returns undefined where the database does not answer
   */
  measureInstallation(read: () => Promise<InstallationState | undefined>): void {
    measureInstallation(this.#registry, read);
  }

  /** Adds the findings of the health page. Called once only. */
  measureFindings(read: () => Promise<readonly Finding[]>): void {
    measureFindings(this.#registry, read);
  }

  /** Adds metrics of the use of the database. Called once only. */
  measureDatabase(usage: Database['usage']): void {
    const registers = [this.#registry];
    new Gauge({
      name: 'tankeeper_database_connections',
      help: 'Connections to the database: used, free',
      labelNames: ['state'],
      registers,
      collect() {
        const { used, free } = usage();
        this.set({ state: 'used' }, used);
        this.set({ state: 'free' }, free);
      },
    });
    new Gauge({
      name: 'tankeeper_database_waiting_requests',
      help: 'Requests that wait for a connection to the database',
      registers,
      collect() {
        this.set(usage().waiting);
      },
    });
  }

  /** Shows these limits from the beginning, with 0 refusals. */
  limitsAre(limits: readonly string[]): void {
    for (const limit of limits) {
      this.#refusals.inc({ limit }, 0);
    }
  }

  /** @returns a function to call when the request is answered or aborted */
  requestBegun(): (end: RequestEnd) => void {
    const begun = performance.now();
    return ({ endpoint, status, waitedMs = 0 }) => {
      this.#durations.observe({ endpoint }, Math.max(0, performance.now() - begun - waitedMs) / 1000);
      this.#requests.inc({ endpoint, status });
    };
  }

  deprecatedPost(endpoint: string): void {
    this.#deprecatedPosts.inc({ endpoint });
  }

  limitReached(limit: string): void {
    this.#refusals.inc({ limit });
  }

  /** The media type of the text. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** @returns all metrics at present */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** @returns the declarations of all metrics that were added, in their order */
  declared(): readonly DeclaredMetric[] {
    return this.#registry.getMetricsAsArray().map((metric) => {
      const { name, help, type, labelNames } = metric as unknown as Omit<DeclaredMetric, 'labels'> & {
        readonly labelNames: readonly string[];
      };
      return { name, help, type, labels: labelNames };
    });
  }
}

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
      help: 'Time of the last successful round of a component',
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
