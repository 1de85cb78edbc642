import type { KeptUserCount, UserCountStore } from '../../../src/monitoring/ports.ts';
import { UserCounts, type UserCountsDependencies } from '../../../src/monitoring/user-counts.ts';

/** Keeps counts as the database does, during a test. */
export class InMemoryUserCountStore implements UserCountStore {
  readonly kept = new Map<string, KeptUserCount>();

  find(resolverIds: readonly string[]): Promise<readonly KeptUserCount[]> {
    return Promise.resolve(resolverIds.flatMap((id) => this.kept.get(id) ?? []));
  }

  keep(count: KeptUserCount): Promise<void> {
    this.kept.set(count.resolverId, count);
    return Promise.resolve();
  }
}

/** @returns counts of users over these sources; by default none is known from before */
export function userCountsOf(
  given: Pick<UserCountsDependencies, 'sources'> & Partial<UserCountsDependencies>,
): UserCounts {
  const nothing = (): void => undefined;
  return new UserCounts({
    store: new InMemoryUserCountStore(),
    metrics: {
      resolverFailed: nothing,
      staleAnswered: nothing,
      lastCounted: nothing,
      resolverForgotten: nothing,
    },
    log: { error: nothing, warn: nothing, info: nothing, debug: nothing },
    clock: { now: () => new Date('2026-11-20T12:00:00Z') },
    timeoutMs: 3000,
    ...given,
  });
}
