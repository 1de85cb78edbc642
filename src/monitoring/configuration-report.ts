import type { Configuration, Resolver, ResolverKind, Revision } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { ConfigurationReport } from './outcomes.ts';
import type { Clock } from '../kernel/clock.ts';

/** The state of the configuration: in this server's memory, and in the database itself. */
export type ConfigurationState = Pick<ConfigurationStore, 'assumed' | 'lastChangeInDatabase'>;

/**
 * Compares the configuration that this server uses with the last change in the database.
 * @param configuration the configuration in use
 * @param stored the last change, read from the database
 */
function reportConfiguration(configuration: Configuration, stored: Revision, now: Date): ConfigurationReport {
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
 * Compares the configuration that this server uses with that of the database.
 * @param read reads the configuration in use
 */
export async function compareConfiguration(
  state: ConfigurationState,
  clock: Clock,
  read: () => Promise<Configuration>,
): Promise<{ readonly configuration: Configuration; readonly report: ConfigurationReport }> {
  // Read before the request itself reads the configuration, which would hide a change that the server has missed.
  const before = state.assumed;
  const stored = await state.lastChangeInDatabase();
  const after = state.assumed;
  const configuration = await read();
  // A change during this request, if noticed, is in one of the two.
  const works = before !== undefined && isInStep(before, stored) ? before : (after ?? configuration);
  // The server has already read a change that is later than the read of the database.
  const isAhead = works.revision > stored.revision;
  const last = isAhead ? await state.lastChangeInDatabase() : stored;
  return { configuration, report: reportConfiguration(works, last, clock.now()) };
}

/**
 * @returns true if the configuration is of that change. Compares the time too: a restored database can repeat a
 *   revision
 */
function isInStep(configuration: Configuration, stored: Revision): boolean {
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
