import type { Clock } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { describeFault } from '../kernel/fault.ts';
import type { Log } from '../kernel/log.ts';
import { within } from '../kernel/time-limit.ts';
import type { KeptUserCount, ResolverMetrics, UserCount, UserCountStore } from './ports.ts';

/** What the counting of a resolver's users needs. */
export interface ResolverCountDependencies {
  readonly store: UserCountStore;
  readonly metrics: ResolverMetrics;
  readonly log: Log;
  readonly clock: Clock;
  /** Milliseconds that a resolver has to tell how many users it has. */
  readonly timeLimit: number;
}

/** Which resolver, and as it is set up now. */
export type ResolverIdentity = Pick<KeptUserCount, 'resolverId' | 'settingsDigest'> & {
  readonly name: string;
};

interface Question {
  readonly answer: Promise<number>;
  readonly askedAt: number;
}

/** An unchanged count is kept again when the kept one is older than this, in milliseconds. */
const KEPT_AGAIN = 60_000;
/** A question is given up after so many time limits; then the resolver may be asked anew. */
const GIVEN_UP_AFTER = 10;

/**
 * Asks one resolver how many users it has: one question at a time, however many want to know. Whoever comes while a
 * question is open shares its answer and its time limit; once that has passed, nobody waits for it any more, and the
 * resolver is not asked anew before it answered, failed, or was given up.
 */
export class ResolverCount {
  readonly identity: ResolverIdentity;
  readonly #deps: ResolverCountDependencies;
  #open: Question | undefined;
  #last: UserCount | undefined;
  #kept: UserCount | undefined;
  #failing = false;
  #retired = false;

  constructor(identity: ResolverIdentity, dependencies: ResolverCountDependencies) {
    this.identity = identity;
    this.#deps = dependencies;
  }

  /** The last answer that this process has had. */
  get last(): UserCount | undefined {
    return this.#last;
  }

  /**
   * @param ask how many users the resolver has now; called only where no question is open
   * @throws ServiceError 'resolver.unavailable' after the time limit; whatever `ask` throws
   */
  count(ask: () => Promise<number>): Promise<number> {
    const { clock, timeLimit } = this.#deps;
    const now = clock.now().getTime();
    if (this.#open === undefined || now - this.#open.askedAt >= GIVEN_UP_AFTER * timeLimit) {
      this.#open = this.#question(ask, now);
    }
    return this.#open.answer;
  }

  /** Later answers are of no interest: the resolver is gone, or set up otherwise. */
  retire(): void {
    this.#retired = true;
    this.#deps.metrics.resolverForgotten(this.identity.name);
  }

  #question(ask: () => Promise<number>, askedAt: number): Question {
    const work = Promise.resolve().then(ask);
    const question = { answer: within(this.#deps.timeLimit, work, () => this.#late()), askedAt };
    const isCurrent = (): boolean => this.#open === question && !this.#retired;
    question.answer.catch((reason: unknown) => {
      if (isCurrent()) {
        this.#failed(reason);
      }
    });
    void work
      .then((users) => {
        if (isCurrent()) {
          this.#counted(users);
        }
      })
      // What it failed with is the answer's, unless it came too late to be one.
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
      `The resolver '${this.identity.name}' did not answer within ${this.#deps.timeLimit / 1000} seconds`,
    );
  }

  #counted(users: number): void {
    const { clock, metrics, log } = this.#deps;
    const { name } = this.identity;
    const counted = { users, countedAt: clock.now() };
    this.#last = counted;
    metrics.lastCounted(name, counted.countedAt);
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

  /** Nobody waits for this. */
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

  #failed(reason: unknown): void {
    const { metrics, log } = this.#deps;
    const { name } = this.identity;
    metrics.resolverFailed(name);
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

/** @returns why a resolver did not tell how many users it has, in words that may reach the client */
export function plainReason(reason: unknown): string {
  return isServiceError(reason, 'resolver.unavailable') ? reason.message : 'Its users could not be counted';
}
