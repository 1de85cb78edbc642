import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Clock } from '../kernel/clock.ts';
import { KeptReading, withTimeLimit } from '../kernel/bounded-work.ts';
import { certificateEnd } from '../resolvers/settings/setting-values.ts';
import { reportLicence } from './reports.ts';
import type { StoredState, TokenCountStore } from './token-count-store.ts';
import type { TokenCountsSnapshot } from './token-counts.ts';

/** The state of the whole installation, for metrics. */
export interface InstallationState extends StoredState {
  readonly counts: TokenCountsSnapshot;
  readonly realms: readonly string[];
  /** The resolvers with certificates of their own, and the end of the one that ends first. */
  readonly certificates: readonly { readonly resolver: string; readonly endsAt: Date }[];
  /** Undefined: no licence, or one that cannot be read. */
  readonly licence: { readonly isValid: boolean; readonly endsAt: Date } | undefined;
  /** Seconds that the database took to answer all of this. */
  readonly duration: number;
}

/** Milliseconds for which a reading is used again. */
const KEPT_MS = 5_000;
/** Longest wait of a reader in milliseconds. */
const TIMEOUT_MS = 1_000;

/**
 * Reads the state of the installation: one reading at a time, which is used again for five seconds. A database that
 * does not answer delays a reader by a second at most, and gets no second question meanwhile.
 */
export class InstallationReadings {
  readonly #deps;
  readonly #reading: KeptReading<InstallationState>;

  constructor(dependencies: {
    readonly configurations: Pick<ConfigurationStore, 'current'>;
    readonly counts: Pick<TokenCountStore, 'snapshot' | 'storedState'>;
    readonly clock: Clock;
    /** Milliseconds of a clock that never goes back. */
    readonly elapsed: () => number;
  }) {
    const { elapsed } = dependencies;
    this.#deps = dependencies;
    this.#reading = new KeptReading({ read: () => this.#read(), keptMs: KEPT_MS, elapsed });
  }

  /** @returns undefined where the database does not answer in time */
  async read(): Promise<InstallationState | undefined> {
    const reading = this.#reading.current();
    return withTimeLimit(TIMEOUT_MS, reading, () => new Error('late')).catch(() => undefined);
  }

  async #read(): Promise<InstallationState> {
    const { configurations, counts: kept, clock, elapsed } = this.#deps;
    const begun = elapsed();
    const { realms, resolvers, settings } = await configurations.current();
    const now = clock.now();
    const [counts, rest] = await Promise.all([kept.snapshot(), kept.storedState(now)]);
    const report = reportLicence(settings, counts, now);
    const read = 'licence' in report ? report.licence : undefined;
    return {
      ...rest,
      counts,
      realms: realms.map(({ name }) => name),
      certificates: resolvers.flatMap(({ name, settings: own }) => {
        const endsAt = certificateEnd(own);
        return endsAt === undefined ? [] : [{ resolver: name, endsAt }];
      }),
      licence: read && { isValid: report.kind === 'valid', endsAt: read.endsAt },
      duration: (elapsed() - begun) / 1000,
    };
  }
}
