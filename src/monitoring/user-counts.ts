import { createHash } from 'node:crypto';
import type { UserSources } from '../resolvers/user-source.ts';
import type { Resolver, Configuration } from '../configuration/configuration.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { describeFault } from '../kernel/log.ts';
import { withTimeLimit } from '../kernel/bounded-work.ts';
import { plainReason, ResolverCount, type ResolverCountDependencies } from './resolver-count.ts';
import type { KeptUserCount, UserCount } from './user-count-store.ts';

export interface UserCountsDependencies extends ResolverCountDependencies {
  readonly sources: UserSources;
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
  readonly #deps: UserCountsDependencies;
  readonly #counts = new Map<string, ResolverCount>();
  #seen: Configuration | undefined;

  constructor(dependencies: UserCountsDependencies) {
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
  const ofDatabase = failures.map(({ reason }) => reason).find(isDatabaseUnavailable);
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

function isDatabaseUnavailable(reason: unknown): reason is ServiceError {
  return isServiceError(reason, 'database.unavailable');
}
