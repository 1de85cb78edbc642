import type { Resolver, ResolverKind, Configuration } from '../configuration/configuration.ts';
import type { ConfigurationReport } from './outcomes.ts';
import type { ConfigurationChange } from './ports.ts';

/**
 * Compares the configuration that this server uses with the last change in the database.
 * @param configuration the configuration in use
 * @param stored the last change, read from the database
 */
export function reportConfiguration(
  configuration: Configuration,
  stored: ConfigurationChange,
  now: Date,
): ConfigurationReport {
  const { settings, resolvers, policies, realms } = configuration;
  return {
    sync: isInStep(configuration, stored),
    readAt: configuration.readAt,
    changedAt: stored.changedAt,
    now,
    total: settings.size + resolvers.length + policies.length + realms.length,
    values: settings.size,
    resolvers: countByKind(resolvers),
    policies: policies.length,
    realms: realms.length,
  };
}

/**
 * @returns true if the configuration is of that change. Compares the time too: a restored database can repeat a
 *   revision
 */
export function isInStep(configuration: Configuration, stored: ConfigurationChange): boolean {
  return (
    configuration.revision === stored.revision &&
    configuration.changedAt.getTime() === stored.changedAt.getTime()
  );
}

function countByKind(resolvers: readonly Resolver[]): Readonly<Record<ResolverKind, number>> {
  const counts: Record<ResolverKind, number> = { managed: 0, passwd: 0, sql: 0, ldap: 0 };
  for (const { kind } of resolvers) {
    counts[kind] += 1;
  }
  return counts;
}
