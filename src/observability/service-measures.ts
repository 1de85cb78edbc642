import type { ChallengeMetrics } from '../challenges/challenge-metrics.ts';
import type { StatusWaitMetrics } from '../challenges/status-watch.ts';
import type { HousekeepingDependencies } from '../housekeeping/housekeeping-service.ts';
import type { Observations } from '../monitoring/observations.ts';
import type { DispatcherDependencies } from '../webhooks/delivery-dispatcher.ts';
import type { ResolverMetrics } from '../monitoring/resolver-metrics.ts';

/** The meters of the services. */
export interface ServiceMeasures {
  readonly challenges: ChallengeMetrics;
  readonly statusWaits: StatusWaitMetrics;
  readonly resolvers: Omit<ResolverMetrics, 'follow'>;
  readonly housekeeping: HousekeepingDependencies['metrics'];
  readonly webhooks: DispatcherDependencies['metrics'];
}

const UNMEASURED: ServiceMeasures = {
  challenges: {
    challengeIssued: () => undefined,
    responseEnded: () => undefined,
    tokenLocked: () => undefined,
  },
  statusWaits: { waitingAre: () => undefined, waitEnded: () => undefined },
  resolvers: {
    resolverAnswered: () => undefined,
    resolverUnavailable: () => undefined,
    resolverFailed: () => undefined,
    staleAnswered: () => undefined,
    lastCounted: () => undefined,
    resolverForgotten: () => undefined,
  },
  housekeeping: { backlogIs: () => undefined, rowsRemoved: () => undefined, roundDone: () => undefined },
  webhooks: {
    deliveryAttempted: () => undefined,
    deliveriesDropped: () => undefined,
    backlogsAre: () => undefined,
  },
};

/** @param metrics undefined: nothing is measured. @returns the meters, which also tell responses and uses of resolvers to the observations */
export function observedMeasures(
  metrics: ServiceMeasures = UNMEASURED,
  observations: Observations,
): ServiceMeasures {
  const { challenges, resolvers } = metrics;
  return {
    ...metrics,
    challenges: {
      challengeIssued: () => {
        challenges.challengeIssued();
      },
      responseEnded: (reason, milliseconds) => {
        challenges.responseEnded(reason, milliseconds);
        observations.responseEnded(reason, milliseconds);
      },
      tokenLocked: () => {
        challenges.tokenLocked();
      },
    },
    resolvers: {
      resolverAnswered: (resolver) => {
        resolvers.resolverAnswered(resolver);
        observations.resolverAnswered(resolver);
      },
      resolverUnavailable: (resolver) => {
        resolvers.resolverUnavailable(resolver);
        observations.resolverUnavailable(resolver);
      },
      resolverFailed: (resolver) => {
        resolvers.resolverFailed(resolver);
        observations.resolverUnavailable(resolver);
      },
      staleAnswered: (resolver) => {
        resolvers.staleAnswered(resolver);
      },
      lastCounted: (resolver, at) => {
        resolvers.lastCounted(resolver, at);
      },
      resolverForgotten: (resolver) => {
        resolvers.resolverForgotten(resolver);
      },
    },
  };
}
