import type { Resolver, ResolverKind, Setup } from '../configuration/configuration.ts';
import type { ConfigurationReport } from './outcomes.ts';
import type { ConfigurationChange } from './ports.ts';

/**
 * Holds the configuration that this server works with against the last change that the database knows of.
 * @param setup what the server works with
 * @param stored the last change, read from the database
 */
export function reportConfiguration(
  setup: Setup,
  stored: ConfigurationChange,
  now: Date,
): ConfigurationReport {
  const { configuration, resolvers, policies, realms } = setup;
  return {
    sync: isInStep(setup, stored),
    readAt: setup.readAt,
    changedAt: stored.changedAt,
    now,
    total: configuration.size + resolvers.length + policies.length + realms.length,
    values: configuration.size,
    resolvers: countByKind(resolvers),
    policies: policies.length,
    realms: realms.length,
  };
}

/** @returns whether the setup is of that change. The time counts, too: a database can be put back to an earlier state */
export function isInStep(setup: Setup, stored: ConfigurationChange): boolean {
  return setup.revision === stored.revision && setup.changedAt.getTime() === stored.changedAt.getTime();
}

function countByKind(resolvers: readonly Resolver[]): Readonly<Record<ResolverKind, number>> {
  const counts: Record<ResolverKind, number> = { managed: 0, passwd: 0, sql: 0, ldap: 0 };
  for (const { kind } of resolvers) {
    counts[kind] += 1;
  }
  return counts;
}
