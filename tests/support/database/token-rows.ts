import type { Database } from '../../../src/database/database.ts';

type Tables = Pick<Database, 'knex'>;

/** The fields of a token that counting needs. */
export interface TokenSketch {
  readonly serial: string;
  /** Names of realms; empty: without a realm. */
  readonly realms: readonly string[];
  readonly active?: boolean;
  /** Missing: unassigned. */
  readonly owner?: { readonly resolver: string; readonly userId: string };
}

export interface StateSketch {
  readonly resolvers: readonly string[];
  readonly realms: readonly { readonly name: string; readonly resolvers: readonly string[] }[];
  readonly tokens: readonly TokenSketch[];
}

/** Writes resolvers, realms and tokens directly into the tables, past the services. */
export async function insertState({ knex }: Tables, state: StateSketch): Promise<void> {
  const { resolvers, realms, tokens } = state;
  for (const name of resolvers) {
    await knex('resolvers').insert({ name, kind: 'managed' });
  }
  for (const { name, resolvers: members } of realms) {
    await knex('realms').insert({ name });
    for (const [position, member] of members.entries()) {
      await knex.raw(
        `INSERT INTO realm_resolvers (realm_id, resolver_id, position)
         SELECT r.id, s.id, ? FROM realms r, resolvers s WHERE r.name = ? AND s.name = ?`,
        [position, name, member],
      );
    }
  }
  await insertTokens({ knex }, tokens);
}

/** Writes tokens of existing resolvers and realms. */
export async function insertTokens({ knex }: Tables, tokens: readonly TokenSketch[]): Promise<void> {
  for (const { serial, realms, active = true, owner } of tokens) {
    await knex.raw(
      `INSERT INTO tokens (serial, type, active, realm_set_id, owner_resolver_id, owner_user_id, owner_login)
       VALUES (:serial, 'hmac', :active,
         intern_realm_set(ARRAY(SELECT id FROM realms WHERE name = ANY (:realms))),
         (SELECT id FROM resolvers WHERE name = :resolver), :userId, :userId)`,
      {
        serial,
        active,
        realms: [...realms],
        resolver: owner?.resolver ?? null,
        userId: owner?.userId ?? null,
      },
    );
  }
}
