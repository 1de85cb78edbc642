import type { Clock } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import { withTimeLimit } from '../kernel/bounded-work.ts';
import type { Observations } from './observations.ts';
import type { ResolverMetrics } from './resolver-metrics.ts';
import type { KeptUserCount, UserCount, UserCountStore } from './user-count-store.ts';

/** Dependencies of the count of a resolver's users. */
export interface ResolverCountDependencies {
  readonly store: Pick<UserCountStore, 'find' | 'keep'>;
  readonly metrics?: ResolverMetrics | undefined;
  readonly observations: Pick<Observations, 'resolverUsed'>;
  readonly log: Log;
  readonly clock: Clock;
  /** Milliseconds within which a resolver must give its number of users. */
  readonly timeoutMs: number;
}

/** A resolver with its present settings. */
export type ResolverIdentity = Pick<KeptUserCount, 'resolverId' | 'settingsHash'> & {
  readonly name: string;
};

interface OpenCount {
  readonly answer: Promise<number>;
  readonly startedAt: number;
}

/** Age after which an unchanged stored count is stored again, in milliseconds. */
const KEPT_AGAIN = 60_000;
/** Number of time limits after which a query is abandoned; then the resolver may be queried anew. */
const GIVEN_UP_AFTER = 10;

/**
 * Queries one resolver for its number of users, one query at a time. Further callers share the open query and its time
 * limit; after that, none waits any longer. The resolver is not queried anew before it has answered or failed, or the
 * query is abandoned.
 */
export class ResolverCount {
  readonly identity: ResolverIdentity;
  readonly #deps: ResolverCountDependencies;
  #open: OpenCount | undefined;
  #last: UserCount | undefined;
  #kept: UserCount | undefined;
  #failing = false;
  #retired = false;

  constructor(identity: ResolverIdentity, dependencies: ResolverCountDependencies) {
    this.identity = identity;
    this.#deps = dependencies;
  }

  /** The last answer in this process. */
  get last(): UserCount | undefined {
    return this.#last;
  }

  /**
   * @param ask returns the present number of users; called only while no query is open
   * @throws ServiceError 'resolver.unavailable' after the time limit; any error of `ask`
   */
  count(ask: () => Promise<number>): Promise<number> {
    const { clock, timeoutMs } = this.#deps;
    const now = clock.now().getTime();
    if (this.#open === undefined || now - this.#open.startedAt >= GIVEN_UP_AFTER * timeoutMs) {
      this.#open = this.#question(ask, now);
    }
    return this.#open.answer;
  }

  /** Ignores later answers: the resolver is gone, or has other settings. */
  retire(): void {
    this.#retired = true;
    this.#deps.metrics?.resolverForgotten(this.identity.name);
  }

  #question(ask: () => Promise<number>, startedAt: number): OpenCount {
    const work = Promise.resolve().then(ask);
    const question = { answer: withTimeLimit(this.#deps.timeoutMs, work, () => this.#late()), startedAt };
    const isCurrent = (): boolean => this.#open === question && !this.#retired;
    question.answer.catch((reason: unknown) => {
      if (isCurrent()) {
        this.#noteFailure(reason);
      }
    });
    void work
      .then((users) => {
        if (isCurrent()) {
          this.#noteCount(users);
        }
      })
      // The answer reports a failure, unless that came too late.
      .catch(() => undefined)
      .finally(() => {
        if (this.#open === question) {
          this.#open = undefined;
        }
      });
    return question;
  }

  #late(): ServiceError {
    return new ServiceError(
      'resolver.unavailable',
      `The resolver '${this.identity.name}' did not answer within ${this.#deps.timeoutMs / 1000} seconds`,
    );
  }

  #noteCount(users: number): void {
    const { clock, metrics, log } = this.#deps;
    const { name } = this.identity;
    const counted = { users, countedAt: clock.now() };
    this.#last = counted;
    metrics?.lastCounted(name, counted.countedAt);
    if (this.#failing) {
      this.#failing = false;
      log.warn('A resolver tells again how many users it has', { resolver: name });
    }
    const kept = this.#kept;
    if (kept?.users !== users || counted.countedAt.getTime() - kept.countedAt.getTime() >= KEPT_AGAIN) {
      this.#kept = counted;
      void this.#keep(counted);
    }
  }

  /** Stores the count in the background. */
  async #keep(counted: UserCount): Promise<void> {
    const { store, log } = this.#deps;
    const { name, ...resolver } = this.identity;
    try {
      await store.keep({ ...resolver, ...counted });
    } catch (error) {
      this.#kept = undefined;
      log.debug('The number of users of a resolver could not be kept', {
        resolver: name,
        fault: describeFault(error).fault,
      });
    }
  }

  #noteFailure(reason: unknown): void {
    const { metrics, observations, log } = this.#deps;
    const { name } = this.identity;
    metrics?.resolverFailed(name);
    observations.resolverUsed(name, false);
    if (!this.#failing) {
      this.#failing = true;
      const { fault, faultDetail } = describeFault(reason);
      log.warn(`A resolver does not tell how many users it has: ${plainReason(reason)}`, {
        resolver: name,
        fault,
        faultDetail,
      });
    }
  }
}

/** @returns the reason why a resolver is unavailable, in words that may reach the client */
export function plainReason(reason: unknown): string {
  return isServiceError(reason, 'resolver.unavailable') ? reason.message : 'Its users could not be counted';
}
