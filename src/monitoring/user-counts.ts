import { createHash } from 'node:crypto';
import type { Configuration, Resolver } from '../configuration/configuration.ts';
import { withTimeLimit } from '../kernel/bounded-work.ts';
import type { Clock } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import type { UserSources } from '../resolvers/user-source.ts';
import type { Observations } from './observations.ts';
import type { ResolverMetrics } from './resolver-metrics.ts';
import type { KeptUserCount, UserCount, UserCountStore } from './user-count-store.ts';

interface ResolverCountDependencies {
  readonly store: Pick<UserCountStore, 'find' | 'keep'>;
  readonly metrics?: ResolverMetrics | undefined;
  readonly observations: Pick<Observations, 'resolverUsed'>;
  readonly log: Log;
  readonly clock: Clock;
  /** Milliseconds within which a resolver must give its number of users. */
  readonly timeoutMs: number;
}

/** A resolver with its present settings. */
type ResolverIdentity = Pick<KeptUserCount, 'resolverId' | 'settingsHash'> & {
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
class ResolverCount {
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
function plainReason(reason: unknown): string {
  return isServiceError(reason, 'resolver.unavailable') ? reason.message : 'Its users could not be counted';
}

/** Present or last known number of users of a resolver. */
export interface CountedUsers {
  readonly users: number;
  /**
   * Present only for a last known number: its time, and the reason why the resolver is unavailable, in words for the
   * client.
   */
  readonly stale?: { readonly countedAt: Date; readonly reason: string };
}

/** A resolver that did not give its number of users. */
interface UncountedResolver {
  readonly name: string;
  readonly reason: unknown;
  /** The source of a last known count. */
  readonly count?: ResolverCount;
}

type ResolverAnswer = UncountedResolver | { readonly name: string; readonly users: number };

/**
 * Counts the users of resolvers at their source. For an unavailable one, gives its last known count, marked as such; a
 * failure never appears as no users. Users of managed resolvers are in the database itself: when that is unavailable,
 * so is any stored count.
 */
export class UserCounts {
  readonly #deps;
  readonly #counts = new Map<string, ResolverCount>();
  #seen: Configuration | undefined;

  constructor(
    dependencies: ResolverCountDependencies & {
      readonly sources: UserSources;
    },
  ) {
    this.#deps = dependencies;
  }

  /**
   * Queries all these resolvers concurrently.
   * @param names of the resolvers, each once
   * @returns the users by the resolver's name, of every one of them
   * @throws ServiceError 'resolver.unavailable' that names every unavailable resolver without a known count;
   *   'database.unavailable'
   */
  async of(
    configuration: Configuration,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, CountedUsers>> {
    this.#forgetOthersThan(configuration);
    const answers = await Promise.all(names.map((name) => this.#ask(configuration, name)));
    const failures = answers.filter((answer): answer is UncountedResolver => 'reason' in answer);
    const known = await this.#lastKnown(failures);
    const lost = failures.filter(({ name }) => !known.has(name));
    if (lost.length > 0) {
      throw unavailable(lost);
    }
    failures.forEach(({ name }) => {
      this.#deps.metrics?.staleAnswered(name);
    });
    return new Map(answers.map((answer) => [answer.name, toCountedUsers(answer, known)]));
  }

  async #ask(configuration: Configuration, name: string): Promise<ResolverAnswer> {
    const resolver = configuration.resolvers.find((one) => one.name === name);
    if (resolver === undefined) {
      const message = `There is no resolver '${name}'`;
      return { name, reason: new ServiceError('resolver.unknown', message) };
    }
    return resolver.kind === 'managed' ? this.#askOwn(resolver) : this.#askForeign(resolver);
  }

  async #askOwn(resolver: Resolver): Promise<ResolverAnswer> {
    const { sources, timeoutMs } = this.#deps;
    const { name } = resolver;
    try {
      const work = Promise.resolve().then(() => sources(resolver).count());
      return {
        name,
        users: await withTimeLimit(timeoutMs, work, () => new Error(`No answer in ${timeoutMs} ms`)),
      };
    } catch (reason) {
      return { name, reason };
    }
  }

  async #askForeign(resolver: Resolver): Promise<ResolverAnswer> {
    const { name } = resolver;
    const count = this.#countOf(resolver);
    try {
      return { name, users: await count.count(() => this.#deps.sources(resolver).count()) };
    } catch (reason) {
      return { name, reason, count };
    }
  }

  /** Discards the earlier count of a resolver with changed settings, which may hold other users. */
  #countOf(resolver: Resolver): ResolverCount {
    const hash = settingsHash(resolver);
    const known = this.#counts.get(resolver.id);
    if (known?.identity.settingsHash === hash) {
      return known;
    }
    known?.retire();
    const fresh = new ResolverCount(
      { resolverId: resolver.id, settingsHash: hash, name: resolver.name },
      this.#deps,
    );
    this.#counts.set(resolver.id, fresh);
    return fresh;
  }

  #forgetOthersThan(configuration: Configuration): void {
    if (configuration === this.#seen) {
      return;
    }
    this.#seen = configuration;
    const ids = new Set(configuration.resolvers.map(({ id }) => id));
    for (const [id, count] of this.#counts) {
      if (!ids.has(id)) {
        count.retire();
        this.#counts.delete(id);
      }
    }
  }

  /** @returns the later one of this process's and the stored count, by the resolver's name */
  async #lastKnown(failures: readonly UncountedResolver[]): Promise<ReadonlyMap<string, UserCount>> {
    const counts = failures.flatMap(({ count: one }) => one ?? []);
    const kept = counts.length === 0 ? [] : await this.#readKept(counts);
    const known = new Map<string, UserCount>();
    for (const { identity, last } of counts) {
      const found = kept.find(
        ({ resolverId, settingsHash }) =>
          resolverId === identity.resolverId && settingsHash === identity.settingsHash,
      );
      const latest = laterOf(last, found);
      if (latest !== undefined) {
        known.set(identity.name, latest);
        this.#deps.metrics?.lastCounted(identity.name, latest.countedAt);
      }
    }
    return known;
  }

  async #readKept(counts: readonly ResolverCount[]): Promise<readonly KeptUserCount[]> {
    try {
      return await this.#deps.store.find(counts.map(({ identity }) => identity.resolverId));
    } catch (error) {
      this.#deps.log.warn('The last known numbers of users could not be read', { ...describeFault(error) });
      return [];
    }
  }
}

function toCountedUsers(answer: ResolverAnswer, known: ReadonlyMap<string, UserCount>): CountedUsers {
  if (!('reason' in answer)) {
    return { users: answer.users };
  }
  const last = known.get(answer.name);
  if (last === undefined) {
    throw unavailable([answer]);
  }
  return { users: last.users, stale: { countedAt: last.countedAt, reason: plainReason(answer.reason) } };
}

function laterOf(one: UserCount | undefined, other: UserCount | undefined): UserCount | undefined {
  return one === undefined || (other !== undefined && other.countedAt > one.countedAt) ? other : one;
}

/** @returns a text that tells the settings of a resolver from all others */
export function settingsHash({ kind, settings }: Resolver): string {
  const entries = Object.entries(settings).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([kind, entries]))
    .digest('base64url');
}

/** Reports an unavailable database as such, not as a fault of the resolvers whose users it holds. */
function unavailable(failures: readonly UncountedResolver[]): ServiceError {
  const ofDatabase = failures
    .map(({ reason }) => reason)
    .find((reason) => isServiceError(reason, 'database.unavailable'));
  if (ofDatabase !== undefined) {
    return ofDatabase;
  }
  const names = failures.map(({ name }) => `'${name}'`).sort();
  return new ServiceError(
    'resolver.unavailable',
    `Users cannot be counted, resolver unavailable: ${names.join(', ')}`,
    { cause: new AggregateError(failures.map(({ reason }) => reason)) },
  );
}

/** Milliseconds after which the users of a resolver elsewhere are counted again. */
const OLD_MS = 600_000;

/**
 * Counts the users of resolvers elsewhere for the overview, in the background: each at most once in ten minutes by this
 * process, and only where no server has counted them since.
 */
export class CountRefresh {
  readonly #deps;
  readonly #countedAt = new Map<string, number>();

  constructor(dependencies: {
    readonly userCounts: Pick<UserCounts, 'of'>;
    readonly clock: Clock;
    /** Milliseconds of a clock that never goes back. */
    readonly elapsed: () => number;
  }) {
    this.#deps = dependencies;
  }

  /** Begins to count where numbers are old or missing. A failure is noted by the counts themselves. */
  refresh(configuration: Configuration, { kept }: { readonly kept: readonly KeptUserCount[] }): void {
    const now = this.#deps.clock.now().getTime();
    const present = this.#deps.elapsed();
    const fresh = new Set(
      kept.filter(({ countedAt }) => now - countedAt.getTime() < OLD_MS).map(({ resolverId }) => resolverId),
    );
    this.#forgetOthersThan(configuration);
    for (const { id, name, kind } of configuration.resolvers) {
      const last = this.#countedAt.get(id);
      if (kind !== 'managed' && !fresh.has(id) && (last === undefined || present - last >= OLD_MS)) {
        this.#countedAt.set(id, present);
        void this.#deps.userCounts.of(configuration, [name]).catch(() => undefined);
      }
    }
  }

  #forgetOthersThan({ resolvers }: Configuration): void {
    const ids = new Set(resolvers.map(({ id }) => id));
    for (const id of this.#countedAt.keys()) {
      if (!ids.has(id)) {
        this.#countedAt.delete(id);
      }
    }
  }
}
