import { isServiceError } from '../kernel/errors.ts';
import type { UserSource, UserSources } from './user-source.ts';

/** The metrics of the use of resolvers. */
export interface ResolverUseMetrics {
  /** Notes that a resolver has answered. */
  resolverAnswered(resolver: string): void;
  /** Notes that a resolver was unavailable. */
  resolverUnavailable(resolver: string): void;
}

/** @returns sources whose every use is noted; nothing is asked of a resolver for that */
export function measuredSources(sources: UserSources, metrics: ResolverUseMetrics): UserSources {
  return (resolver) => measureSource(sources(resolver), resolver.name, metrics);
}

function measureSource(source: UserSource, name: string, metrics: ResolverUseMetrics): UserSource {
  const noteOutcome = async <Value>(work: Promise<Value>): Promise<Value> => {
    try {
      const value = await work;
      metrics.resolverAnswered(name);
      return value;
    } catch (error) {
      if (isServiceError(error, 'resolver.unavailable')) {
        metrics.resolverUnavailable(name);
      }
      throw error;
    }
  };
  return {
    findByLogin: (...question) => noteOutcome(source.findByLogin(...question)),
    findById: (...question) => noteOutcome(source.findById(...question)),
    list: (...question) => noteOutcome(source.list(...question)),
    count: (...question) => noteOutcome(source.count(...question)),
    examine: (...question) => noteOutcome(source.examine(...question)),
    checkPassword: (...question) => noteOutcome(source.checkPassword(...question)),
  };
}
