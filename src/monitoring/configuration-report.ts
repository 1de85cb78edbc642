import type { Resolver, ResolverKind, Setup } from '../accounts/setup.ts';
import type { ConfigurationReport } from './outcomes.ts';
import type { ConfigurationChange } from './ports.ts';

/**
 * Holds the configuration that this server works with against the last change that the database knows of.
 * @param setup what the server works with
 * @param stored the last change, read from the database after `setup`
 */
export function reportConfiguration(
  setup: Setup,
  stored: ConfigurationChange,
  now: Date,
): ConfigurationReport {
  const { configuration, resolvers, policies, realms } = setup;
  return {
    sync: setup.revision === stored.revision,
    changedAt: stored.changedAt,
    now,
    total: configuration.size + resolvers.length + policies.length + realms.length,
    values: configuration.size,
    resolvers: countByKind(resolvers),
    policies: policies.length,
    realms: realms.length,
  };
}

function countByKind(resolvers: readonly Resolver[]): Readonly<Record<ResolverKind, number>> {
  const counts: Record<ResolverKind, number> = { managed: 0, passwd: 0 };
  for (const { kind } of resolvers) {
    counts[kind] += 1;
  }
  return counts;
}
