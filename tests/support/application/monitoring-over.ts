import type { Configuration } from '../../../src/configuration/configuration.ts';
import type { Database } from '../../../src/database/database.ts';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import { MonitoringService } from '../../../src/monitoring/monitoring-service.ts';
import { TokenCountStore } from '../../../src/monitoring/token-count-store.ts';
import { UserCounts } from '../../../src/monitoring/user-counts.ts';
import { ServiceMetrics } from '../../../src/observability/metrics.ts';
import { AccessControl } from '../../../src/policy/access-control.ts';
import type { UserSources } from '../../../src/resolvers/user-source.ts';
import { countingSources } from './user-sources.ts';

interface MonitoringParts {
  readonly counts?: Pick<TokenCountStore, 'snapshot'>;
  readonly sources?: UserSources;
  readonly clock?: Clock;
  readonly timeoutMs?: number;
}

/** @returns the service over the database, under a configuration that is not in it; no count of users is known before */
export function monitoringOver(
  database: Database,
  configuration: Configuration,
  {
    counts = new TokenCountStore({ database }),
    sources = countingSources(() => Promise.resolve(0)),
    clock = systemClock,
    timeoutMs = 3000,
  }: MonitoringParts = {},
): MonitoringService {
  const nothing = (): void => undefined;
  return new MonitoringService({
    configurations: { current: () => Promise.resolve(configuration) },
    access: new AccessControl({ clock }),
    counts,
    configurationState: {
      assumed: configuration,
      lastChangeInDatabase: () => Promise.resolve(configuration),
    },
    probe: { encrypts: () => Promise.resolve(true) },
    userCounts: new UserCounts({
      sources,
      store: { find: () => Promise.resolve([]), keep: () => Promise.resolve() },
      metrics: new ServiceMetrics({ clock }).resolvers,
      observations: { resolverUsed: () => undefined },
      log: { error: nothing, warn: nothing, info: nothing, debug: nothing },
      clock,
      timeoutMs,
    }),
    clock,
  });
}
