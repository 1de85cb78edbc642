import type { Knex } from 'knex';

import { ReadPolicy } from '../../policy/read-policy.ts';
import type { Policy } from '../../policy/stored-policy.ts';
import type { Realm, Resolver, Configuration } from '../../configuration/configuration.ts';

/** Identifies one state of the configuration. */
export interface Revision {
  readonly revision: bigint;
  readonly changedAt: Date;
}

interface RevisionRow {
  readonly revision: string;
  readonly changed_at: Date;
}

interface SnapshotRow extends RevisionRow {
  readonly realms: Realm[];
  readonly resolvers: Resolver[];
  readonly policies: Policy[];
  readonly settings: [key: string, value: string][];
}

/** One statement sees one moment, and therefore never half of a change. */
const SNAPSHOT = `
  SELECT revision, changed_at,
    (SELECT coalesce(json_agg(json_build_object(
        'id', realms.id::text, 'name', realms.name, 'isDefault', realms.is_default,
        'resolvers', ARRAY(
          SELECT resolvers.name FROM realm_resolvers JOIN resolvers ON resolvers.id = realm_resolvers.resolver_id
          WHERE realm_resolvers.realm_id = realms.id ORDER BY realm_resolvers.position)
      ) ORDER BY realms.name), '[]') FROM realms) AS realms,
    (SELECT coalesce(json_agg(json_build_object(
        'id', id::text, 'name', name, 'kind', kind, 'settings', settings,
        'isBounded', is_bounded, 'secretStamp', encode(sha256(secret), 'hex')
      ) ORDER BY name), '[]') FROM resolvers) AS resolvers,
    (SELECT coalesce(json_agg(json_build_object(
        'name', name, 'scope', scope, 'action', action, 'realm', realm, 'user', username, 'client', client,
        'time', time, 'active', active
      ) ORDER BY name), '[]') FROM policies) AS policies,
    (SELECT coalesce(json_agg(json_build_array(key, value) ORDER BY key), '[]') FROM configuration) AS settings
  FROM configuration_state`;

/** @returns the current revision in the database */
export async function readRevision(connection: Knex): Promise<Revision> {
  const row = await connection('configuration_state').first<RevisionRow | undefined>(
    'revision',
    'changed_at',
  );
  return toRevision(row);
}

/** @returns all of the configuration at one revision */
export async function readConfiguration(connection: Knex, readAt: Date): Promise<Configuration> {
  const { rows } = await connection.raw<{ rows: SnapshotRow[] }>(SNAPSHOT);
  const [row] = rows;
  return {
    ...toRevision(row),
    readAt,
    realms: row?.realms ?? [],
    resolvers: row?.resolvers ?? [],
    policies: (row?.policies ?? []).map((policy) => new ReadPolicy(policy)),
    settings: new Map(row?.settings),
  };
}

function toRevision(row: RevisionRow | undefined): Revision {
  if (row === undefined) {
    throw new Error('The table configuration_state has lost its row');
  }
  return { revision: BigInt(row.revision), changedAt: row.changed_at };
}
