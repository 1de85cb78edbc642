import type { ChallengeMetrics } from '../challenges/challenge-metrics.ts';
import type { Observations } from '../monitoring/observations.ts';
import type { ResolverMetrics } from '../monitoring/ports.ts';
import type { ResolverUseMetrics } from '../resolvers/measured-sources.ts';

/** The meters that are followed. */
interface FollowedMeasures {
  readonly challenges: ChallengeMetrics;
  readonly resolvers: ResolverMetrics & ResolverUseMetrics;
}

/** @returns the meters, which also tell responses and uses of resolvers to the observations */
export function observedMeasures<Measures extends FollowedMeasures>(
  metrics: Measures,
  observations: Observations,
): Measures & FollowedMeasures {
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
