import { Reported } from '../../kernel/bounded-work.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';

/** Every limit by which a request or a connection can be refused, with the message of the refusal. */
const MESSAGES = {
  'client-requests': 'Too many requests',
  'client-failures': 'Too many responses that were not accepted',
  'transaction-failures': 'Too many responses that were not accepted',
  'login-failures': 'Too many wrong passwords',
  'logins-at-once': 'Too many passwords at once',
  'begun-sign-ins': 'Too many sign-ins are under way',
  'requests-at-once': 'The server is busy',
  'large-bodies': 'The server is busy with another large body',
  connections: 'Too many connections',
} as const;

export type LimitName = keyof typeof MESSAGES;

/** Every limit, as the metric labels it. */
export const LIMIT_NAMES = Object.keys(MESSAGES) as LimitName[];

/** The metrics of limits. */
export interface LimitMetrics {
  /** Counts a refused request or connection. */
  limitReached(limit: LimitName): void;
}

/** Counts refusals, and logs the first of each client and limit. */
export class LimitReporter {
  readonly #deps;
  readonly #reported: Reported;

  constructor(dependencies: { readonly metrics: LimitMetrics; readonly log: Log; readonly clock: Clock }) {
    this.#deps = dependencies;
    this.#reported = new Reported(dependencies);
  }

  /**
   * Counts and logs a refusal.
   * @param client the refused client; left out for a limit on all clients together
   * @param wait milliseconds until a new attempt may succeed
   */
  note(limit: LimitName, client: string | undefined, wait: number): void {
    this.#deps.metrics.limitReached(limit);
    if (this.#reported.isNew(`${limit} ${client ?? ''}`, wait)) {
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
