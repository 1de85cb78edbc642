import type { Configuration } from '../../configuration/configuration.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { UserCounts } from '../user-counts.ts';
import type { KnownUsers } from './resolver-overview.ts';

/** Milliseconds after which the users of a resolver elsewhere are counted again. */
const OLD_MS = 600_000;

/** The dependencies of the refresh. */
export interface CountRefreshDependencies {
  readonly userCounts: Pick<UserCounts, 'of'>;
  readonly clock: Clock;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
}

/**
 * Counts the users of resolvers elsewhere for the overview, in the background: each at most once in ten minutes by this
 * process, and only where no server has counted them since.
 */
export class CountRefresh {
  readonly #deps: CountRefreshDependencies;
  readonly #countedAt = new Map<string, number>();

  constructor(dependencies: CountRefreshDependencies) {
    this.#deps = dependencies;
  }

  /** Begins to count where numbers are old or missing. A failure is noted by the counts themselves. */
  refresh(configuration: Configuration, { kept }: Pick<KnownUsers, 'kept'>): void {
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
