import type { Grant } from '../../../src/policy/access-control.ts';
import type { Caller } from '../../../src/policy/caller.ts';
import type { UserSource } from '../../../src/resolvers/user-source.ts';
import type { Configuration, Revision } from '../../../src/configuration/configuration.ts';
import type { ConfigurationState } from '../../../src/monitoring/configuration-report.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import {
  MonitoringService,
  type MonitoringDependencies,
} from '../../../src/monitoring/monitoring-service.ts';
import type { LicenceReport } from '../../../src/monitoring/outcomes.ts';
import type { TokenCountsSnapshot } from '../../../src/monitoring/ports.ts';
import { userCountsOf } from './user-counts-fakes.ts';

/** The inputs of a test of the monitoring service; by default nothing is configured and everything is allowed. */
export interface MonitoringWorld {
  readonly configuration: Configuration;
  readonly counts?: Partial<TokenCountsSnapshot>;
  /** The grant of the policies; 'none': the right is refused. */
  readonly granted?: Grant['realms'] | 'none';
  readonly stored?: Revision;
  /** The database's successive answers, then `stored`. */
  readonly storedInTurn?: readonly Revision[];
  /** The configuration that the server assumes when the request comes; `configuration` by default. */
  readonly assumed?: Configuration | 'nothing';
  /** The configurations that it assumes at successive reads; in place of `assumed`. */
  readonly assumedInTurn?: readonly Configuration[];
  readonly encrypts?: boolean;
  readonly licence?: LicenceReport;
  /** The number of users of a resolver, by its name. */
  readonly users?: (resolver: string) => Promise<number>;
  readonly resolverTimeLimit?: number;
}

export const NOW = new Date('2026-11-20T10:29:03.142Z');

export const CALLER: Caller = {
  principal: { administrator: 'admin', rights: ['*'], operator: false, client: '127.0.0.1' },
  requestId: 'request',
};

/** @returns the service in that world */
export function monitoringIn(world: MonitoringWorld): MonitoringService {
  const { configuration, granted = 'all', users = () => Promise.resolve(0) } = world;
  let seen = world.counts;
  let snapshot = { tokens: [], activeUsers: [], ...seen };
  // As in the database: another snapshot only after the counts have changed.
  const current = (): typeof snapshot => {
    if (world.counts !== seen) {
      seen = world.counts;
      snapshot = { tokens: [], activeUsers: [], ...seen };
    }
    return snapshot;
  };
  const dependencies: MonitoringDependencies = {
    configurations: { current: () => Promise.resolve(configuration) },
    access: {
      authorize: (_configuration, _caller, { scope, action }) => {
        if (granted === 'none') {
          throw new ServiceError('right.missing', 'not granted', { policy: { scope, action } });
        }
        return { realms: granted };
      },
    },
    counts: {
      snapshot: () => Promise.resolve(current()),
      activeUsers: () => Promise.resolve(current().activeUsers),
    },
    licence: { report: () => Promise.resolve(world.licence ?? { kind: 'none' }) },
    configurationState: configurationState(world),
    probe: { encrypts: () => Promise.resolve(world.encrypts ?? true) },
    userCounts: userCountsOf({
      sources: ({ name }) => countingSource(() => users(name)),
      ...(world.resolverTimeLimit !== undefined && { timeoutMs: world.resolverTimeLimit }),
    }),
    clock: { now: () => NOW },
  };
  return new MonitoringService(dependencies);
}

function configurationState({
  configuration,
  stored = configuration,
  assumed = configuration,
  assumedInTurn,
  storedInTurn,
}: MonitoringWorld): ConfigurationState {
  const looks = assumedInTurn?.values();
  const answers = storedInTurn?.values();
  return {
    get assumed() {
      return looks?.next().value ?? (assumed === 'nothing' ? undefined : assumed);
    },
    lastChangeInDatabase: () => Promise.resolve(answers?.next().value ?? stored),
  };
}

/** @returns a source that can count its users and nothing else */
export function countingSource(count: () => Promise<number>): UserSource {
  const unexpected = (): never => {
    throw new Error('Monitoring only counts users');
  };
  return {
    count,
    findByLogin: unexpected,
    findById: unexpected,
    list: unexpected,
    examine: unexpected,
    checkPassword: unexpected,
  };
}
