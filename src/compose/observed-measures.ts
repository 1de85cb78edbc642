import type { Observations } from '../monitoring/observations.ts';
import type { ServiceMeasures } from './shared-parts.ts';

/** @returns the meters, which also tell responses and uses of resolvers to the observations */
export function observedMeasures(metrics: ServiceMeasures, observations: Observations): ServiceMeasures {
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
