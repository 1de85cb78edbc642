import { isServiceError } from '../kernel/errors.ts';
import type { UserSource, UserSources } from './ports.ts';

/** The metrics of the use of resolvers. */
export interface ResolverUseMetrics {
  /** Notes that a resolver has answered. */
  resolverAnswered(resolver: string): void;
  /** Notes that a resolver was unavailable. */
  resolverUnavailable(resolver: string): void;
}

/** @returns sources whose every use is noted; nothing is asked of a resolver for that */
export function measuredSources(sources: UserSources, metrics: ResolverUseMetrics): UserSources {
  return (resolver) => measured(sources(resolver), resolver.name, metrics);
}

function measured(source: UserSource, name: string, metrics: ResolverUseMetrics): UserSource {
  const noted = async <Value>(work: Promise<Value>): Promise<Value> => {
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
    findByLogin: (...question) => noted(source.findByLogin(...question)),
    findById: (...question) => noted(source.findById(...question)),
    list: (...question) => noted(source.list(...question)),
    count: (...question) => noted(source.count(...question)),
    checkPassword: (...question) => noted(source.checkPassword(...question)),
  };
}
