import type pg from 'pg';

import { ProgressBar } from './progress-bar.ts';

/** The number of rows to be made. */
export interface Population {
  readonly tokens: number;
  readonly users: number;
  readonly realms: number;
}

/** So many tokens go in at once. */
const CHUNK = 250_000;

/** The statement that makes an index or a constraint again. */
export interface Definition {
  readonly drop: string;
  readonly create: string;
}

/**
 * Fills a migrated, empty database as docs/benchmarks.md says. Indexes, constraints and triggers of the tokens are away
 * meanwhile; the counts are built once at the end.
 */
export async function fillTokens(client: pg.Client, population: Population): Promise<void> {
  const { tokens } = population;
  const bar = new ProgressBar(`${tokens.toLocaleString('en')} tokens`, tokens * 1.6);
  await client.query("SET statement_timeout = 0; SET maintenance_work_mem = '512MB'; SET work_mem = '256MB'");
  await client.query('ALTER TABLE tokens DISABLE TRIGGER USER; ALTER TABLE users DISABLE TRIGGER USER');
  await insertPeople(client, population);
  const definitions = await definitionsOf(client, 'tokens');
  for (const { drop } of definitions) {
    await client.query(drop);
  }
  for (let first = 1; first <= tokens; first += CHUNK) {
    const last = Math.min(tokens, first + CHUNK - 1);
    await insertTokens(client, first, last, population.users);
    bar.show(last);
  }
  for (const [index, { create }] of definitions.entries()) {
    await client.query(create);
    bar.show(tokens * (1 + (0.4 * (index + 1)) / definitions.length));
  }
  await client.query('SELECT rebuild_counts()');
  await client.query('ALTER TABLE tokens ENABLE TRIGGER USER; ALTER TABLE users ENABLE TRIGGER USER');
  await client.query('DROP TABLE people');
  bar.show(tokens * 1.5);
  await client.query('VACUUM (ANALYZE, FREEZE)');
  bar.show(tokens * 1.6);
}

/**
 * Realms with a resolver each, users evenly over the resolvers. The table `people` keeps for each user the sets of
 * realms that the user's tokens are in: none, the home realm (that of the resolver), home and a second one, the same
 * always.
 */
async function insertPeople(client: pg.Client, { users, realms }: Population): Promise<void> {
  await client.query(`
    INSERT INTO resolvers (name, kind) SELECT 'people' || n, 'managed' FROM generate_series(1, ${realms}) AS n;
    INSERT INTO realms (name) SELECT 'realm' || n FROM generate_series(1, ${realms}) AS n;
    INSERT INTO realm_resolvers (realm_id, resolver_id, position)
      SELECT m.id, r.id, 0 FROM realms m JOIN resolvers r ON substr(m.name, 6) = substr(r.name, 7);
    INSERT INTO users (resolver_id, login, given_name, surname, email)
      SELECT r.id, 'user' || n, 'Given' || n, 'Surname' || n, 'user' || n || '@example.org'
      FROM generate_series(1, ${users}) AS n JOIN resolvers r ON r.name = 'people' || 1 + n % ${realms};
    CREATE TEMPORARY TABLE sets AS
      SELECT a, b, intern_realm_set(ARRAY[m.id, o.id]) AS set
      FROM generate_series(1, ${realms}) AS a, generate_series(1, ${realms}) AS b, realms m, realms o
      WHERE m.name = 'realm' || a AND o.name = 'realm' || b;
    CREATE TEMPORARY TABLE people AS
      SELECT n AS person, u.id::text AS id, u.login, u.resolver_id, nowhere.id AS nowhere, home.set AS home, both_realms.set AS both_realms
      FROM (SELECT n, 1 + n % ${realms} AS home, 1 + (n + 1 + n / ${realms} % (${realms} - 1)) % ${realms} AS second
            FROM generate_series(1, ${users}) AS n) AS person
        JOIN users u ON u.login = 'user' || n
        JOIN sets home ON home.a = person.home AND home.b = person.home
        JOIN sets both_realms ON both_realms.a = person.home AND both_realms.b = person.second
        JOIN realm_sets nowhere ON nowhere.realm_ids = '{}';
    CREATE UNIQUE INDEX ON people (person);
    DROP TABLE sets;
    ANALYZE`);
}

/** 90 % are active, 80 % assigned, 5 % in two realms, 5 % in none, each by chance; the same chances in every fill. */
async function insertTokens(client: pg.Client, first: number, last: number, users: number): Promise<void> {
  await client.query(`SELECT setseed(${((first / CHUNK) % 1000) / 1000})`);
  await client.query(`
    INSERT INTO tokens (serial, type, active, realm_set_id, owner_resolver_id, owner_user_id, owner_login, algorithm, seed)
    SELECT 'QR' || lpad(n::text, 9, '0'), 'ocra2', activity < 0.9,
      CASE WHEN place < 0.05 THEN p.nowhere WHEN place < 0.1 THEN p.both_realms ELSE p.home END,
      CASE WHEN assignment < 0.8 THEN p.resolver_id END, CASE WHEN assignment < 0.8 THEN p.id END,
      CASE WHEN assignment < 0.8 THEN p.login END,
      'OCRA-1:HOTP-SHA256-8:C-QA64', decode(repeat('5a', 64), 'hex')
    FROM (SELECT n, 1 + floor(random() * ${users})::int AS holder, random() AS activity, random() AS place, random() AS assignment
          FROM generate_series(${first}, ${last}) AS n OFFSET 0) AS one JOIN people p ON p.person = one.holder`);
}

/** Foreign and unique keys, and the other indexes but the primary key, in the order in which they can be made again. */
export async function definitionsOf(client: pg.Client, table: string): Promise<readonly Definition[]> {
  const { rows } = await client.query<Definition>(`
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS create
    FROM pg_constraint WHERE conrelid = '${table}'::regclass AND contype IN ('u', 'f')
    UNION ALL
    SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
    FROM pg_index WHERE indrelid = '${table}'::regclass
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid)`);
  return rows;
}
