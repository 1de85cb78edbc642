import { ConfigurationStore } from '../../../src/configuration/configuration-store.ts';
import type { Database } from '../../../src/database/database.ts';
import { type ConfigurationSketch, configurationOf } from '../values/configuration-value.ts';
import { ACT } from '../values/token-values.ts';

/** The configuration of a test database. */
export interface StoredConfiguration {
  readonly configuration: ConfigurationStore;
  /** @returns the id of the resolver */
  idOf(resolver: string): Promise<string>;
  /** @returns the acts in the audit since the configuration was stored: `admin realm/set` */
  acts(): Promise<readonly string[]>;
}

/** Replaces the whole configuration of a test database, with the users of its managed resolvers. */
export async function storeConfiguration(
  database: Database,
  sketch: ConfigurationSketch,
): Promise<StoredConfiguration> {
  const { knex } = database;
  for (const table of ['realms', 'resolvers', 'policies', 'configuration']) {
    await knex(table).delete();
  }
  const configuration = new ConfigurationStore({ database, clock: { now: () => new Date() } });
  const { resolvers, realms, policies, settings } = configurationOf(sketch);
  for (const { name, kind, settings: facts, isBounded } of resolvers) {
    await configuration.putResolver({ name, kind, settings: facts, isBounded }, ACT);
  }
  // The first one is the default.
  for (const { name } of sketch.realms ?? []) {
    await configuration.putRealm(name, realms.find((realm) => realm.name === name)?.resolvers ?? [], ACT);
  }
  for (const policy of policies) {
    await configuration.putPolicy(policy, ACT);
  }
  await configuration.putSettings(settings, ACT);
  const [last] = await knex('audit').max<{ id: string | null }[]>('id as id');
  return {
    configuration,
    idOf: async (resolver) =>
      (await configuration.current()).resolvers.find(({ name }) => name === resolver)?.id ?? '',
    acts: async () => {
      const rows = await knex('audit')
        .where('id', '>', last?.id ?? 0)
        .orderBy('id')
        .select<{ actor: string; action: string }[]>('actor', 'action');
      return rows.map(({ actor, action }) => `${actor} ${action}`);
    },
  };
}
