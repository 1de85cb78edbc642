import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';

/** Every limit by which a request or a connection can be refused: the labels of the metric. */
export const LIMIT_NAMES = [
  'client-requests',
  'client-failures',
  'transaction-failures',
  'login-failures',
  'logins-at-once',
  'requests-at-once',
  'large-bodies',
  'connections',
  'unread-answers',
] as const;

export type LimitName = (typeof LIMIT_NAMES)[number];

/** The metrics of limits. */
export interface LimitMetrics {
  /** Counts a refused request or connection. */
  limitReached(limit: LimitName): void;
}

interface LimitReporterDependencies {
  readonly metrics: LimitMetrics;
  readonly log: Log;
  readonly clock: Clock;
}

/** Milliseconds in which refusals of one client by one limit are logged once. The cache keeps the last one, too. */
const QUIET_MS = 59_999;
/** The most refusals that are remembered, so that a flood from many addresses fills neither the memory nor the log. */
const MAX_REPORTED = 1_000;

const MESSAGES: Readonly<Record<LimitName, string>> = {
  'client-requests': 'Too many requests',
  'client-failures': 'Too many responses that were not accepted',
  'transaction-failures': 'Too many responses that were not accepted',
  'login-failures': 'Too many wrong passwords',
  'logins-at-once': 'Too many passwords at once',
  'requests-at-once': 'The server is busy',
  'large-bodies': 'The server is busy with another large body',
  connections: 'Too many connections',
  'unread-answers': 'Too many answers are not read',
};

/** Counts refusals, and logs the first of each client and limit. */
export class LimitReporter {
  readonly #deps: LimitReporterDependencies;
  readonly #quiet: LRUCache<string, true>;

  constructor(dependencies: LimitReporterDependencies) {
    this.#deps = dependencies;
    const now = (): number => dependencies.clock.now().getTime();
    this.#quiet = new LRUCache({ max: MAX_REPORTED, ttl: QUIET_MS, ttlResolution: 0, perf: { now } });
  }

  /**
   * Counts and logs a refusal.
   * @param client the refused client; left out for a limit on all clients together
   * @param wait milliseconds until a new attempt may succeed
   */
  note(limit: LimitName, client: string | undefined, wait: number): void {
    this.#deps.metrics.limitReached(limit);
    const key = `${limit} ${client ?? ''}`;
    if (this.#quiet.has(key)) {
      return;
    }
    if (this.#quiet.size >= MAX_REPORTED) {
      this.#quiet.purgeStale();
    }
    if (this.#quiet.size < MAX_REPORTED) {
      this.#quiet.set(key, true, { ttl: Math.max(QUIET_MS, wait) });
      this.#deps.log.warn('A limit is reached: what is beyond it is refused', { limit, client });
    }
  }

  /** Counts and logs a refusal of a client. @throws ServiceError 'too-many-requests' always */
  refuse(limit: LimitName, client: string, wait: number): never {
    this.note(limit, client, wait);
    throw new ServiceError('too-many-requests', MESSAGES[limit], {
      limit,
      retryAfter: Math.ceil(wait / 1000),
    });
  }

  /**
   * Counts and logs a refusal that the client did not cause.
   * @param wait milliseconds until a new attempt may succeed, where that is known
   * @returns ServiceError 'server.busy'
   */
  busy(limit: LimitName, wait?: number): ServiceError {
    this.note(limit, undefined, 0);
    return new ServiceError(
      'server.busy',
      MESSAGES[limit],
      wait === undefined ? {} : { retryAfter: Math.ceil(wait / 1000) },
    );
  }
}
