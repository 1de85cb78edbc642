import type { ActiveUserRow, TokenCountRow, TokenCounts, TokenCountsSnapshot } from '../monitoring/ports.ts';
import type { Database } from './database.ts';

/** Ids of realms that are gone name nothing: a set of only such realms is no realm. */
const SET_NAMES = `
  set_names AS (
    SELECT s.id, coalesce(array_agg(r.name ORDER BY r.name) FILTER (WHERE r.id IS NOT NULL), '{}') AS realms
    FROM realm_sets s LEFT JOIN realms r ON r.id = ANY (s.realm_ids)
    GROUP BY s.id
  )`;

const TOKEN_ROWS = `
  token_rows AS (
    SELECT n.realms, t.active, t.owner_user_id IS NOT NULL AS assigned, count(*) AS amount
    FROM tokens t JOIN set_names n ON n.id = t.realm_set_id
    GROUP BY n.realms, t.active, t.owner_user_id IS NOT NULL
  )`;

/** Each user once, with the realms of all of the user's active tokens; then users with the same realms together. */
const USER_ROWS = `
  user_sets AS (
    SELECT DISTINCT owner_resolver_id, owner_user_id, realm_set_id
    FROM tokens WHERE active AND owner_user_id IS NOT NULL
  ),
  user_realms AS (
    SELECT u.owner_resolver_id, u.owner_user_id,
      coalesce(array_agg(DISTINCT one.realm ORDER BY one.realm) FILTER (WHERE one.realm IS NOT NULL), '{}') AS realms,
      bool_or(one.realm IS NULL) AS in_no_realm
    FROM user_sets u
      JOIN set_names n ON n.id = u.realm_set_id
      LEFT JOIN LATERAL unnest(n.realms) AS one (realm) ON true
    GROUP BY u.owner_resolver_id, u.owner_user_id
  ),
  user_rows AS (
    SELECT r.name AS resolver, u.realms, u.in_no_realm, count(*) AS amount
    FROM user_realms u JOIN resolvers r ON r.id = u.owner_resolver_id
    GROUP BY r.name, u.realms, u.in_no_realm
  )`;

const SELECT_USERS = `
  SELECT realms, NULL::boolean AS active, NULL::boolean AS assigned, resolver, in_no_realm, amount FROM user_rows`;
const SELECT_TOKENS = `
  SELECT realms, active, assigned, NULL AS resolver, NULL AS in_no_realm, amount FROM token_rows`;

const SNAPSHOT = `WITH ${SET_NAMES}, ${TOKEN_ROWS}, ${USER_ROWS} ${SELECT_TOKENS} UNION ALL ${SELECT_USERS}`;
const ACTIVE_USERS = `WITH ${SET_NAMES}, ${USER_ROWS} ${SELECT_USERS}`;

/** A row of tokens, or one of users when it names a resolver. */
interface Row {
  readonly realms: string[];
  readonly active: boolean | null;
  readonly assigned: boolean | null;
  readonly resolver: string | null;
  readonly in_no_realm: boolean | null;
  /** A bigint, as text. */
  readonly amount: string;
}

/** Counts tokens and their users by looking at every token. One statement, so that all counts are of one instant. */
export class SqlTokenCounts implements TokenCounts {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  async snapshot(): Promise<TokenCountsSnapshot> {
    const rows = await this.#rows(SNAPSHOT);
    return { tokens: rows.flatMap(tokenRow), activeUsers: rows.flatMap(userRow) };
  }

  async activeUsers(): Promise<readonly ActiveUserRow[]> {
    return (await this.#rows(ACTIVE_USERS)).flatMap(userRow);
  }

  async #rows(statement: string): Promise<readonly Row[]> {
    const { rows } = await this.#database.knex.raw<{ rows: Row[] }>(statement);
    return rows;
  }
}

function tokenRow({ realms, active, assigned, resolver, amount }: Row): TokenCountRow[] {
  return resolver === null
    ? [{ realms, active: active === true, assigned: assigned === true, tokens: Number(amount) }]
    : [];
}

function userRow({ realms, resolver, in_no_realm, amount }: Row): ActiveUserRow[] {
  return resolver === null
    ? []
    : [{ resolver, realms, inNoRealm: in_no_realm === true, users: Number(amount) }];
}
