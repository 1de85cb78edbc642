import type { Change, Handiwork, Person } from './count-model-steps.ts';
import { NAMES } from './count-model-steps.ts';

/** A statement for a pg client. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

type AnyChange = Change | Handiwork;
type Writer<Kind> = (change: Extract<AnyChange, { kind: Kind }>) => Statement;

/** The columns of an owner in a bare INSERT or UPDATE: three, all NULL without the resolver. */
const OWNER = `SELECT r.id AS resolver, coalesce(u.id::text, p.login) AS id, p.login
  FROM (VALUES ($1::text, $2::text)) AS p (resolver, login)
    JOIN resolvers r ON r.name = p.resolver
    LEFT JOIN users u ON u.resolver_id = r.id AND u.login = p.login`;
const SET = 'intern_realm_set(ARRAY(SELECT id FROM realms WHERE name = ANY ($3::text[])))';
const PERSON = `(SELECT id FROM resolvers WHERE name = $1)`;

const named = (owner: Person | null): readonly unknown[] => [owner?.resolver ?? null, owner?.login ?? null];

const assign = (serials: readonly string[], owner: Person | null): Statement => ({
  text: `UPDATE tokens SET (owner_resolver_id, owner_user_id, owner_login) = (${OWNER}) WHERE serial = ANY ($3::text[])`,
  values: [...named(owner), serials],
});
const enable = (serials: readonly string[], active: boolean): Statement => ({
  text: 'UPDATE tokens SET active = $2 WHERE serial = ANY ($1::text[])',
  values: [serials, active],
});
const move = (serials: readonly string[], realms: readonly string[]): Statement => ({
  text: `UPDATE tokens SET realm_set_id = (SELECT intern_realm_set(ARRAY(SELECT id FROM realms WHERE name = ANY ($2::text[]))))
    WHERE serial = ANY ($1::text[])`,
  values: [serials, realms],
});
const remove = (serials: readonly string[]): Statement => ({
  text: 'DELETE FROM tokens WHERE serial = ANY ($1::text[])',
  values: [serials],
});

const WRITERS: { readonly [Kind in AnyChange['kind']]: Writer<Kind> } = {
  enrol: ({ serial, active, realms, owner }) => ({
    text: `INSERT INTO tokens (serial, type, active, realm_set_id, owner_resolver_id, owner_user_id, owner_login)
      SELECT $4, 'hmac', $5, ${SET}, o.resolver, o.id, o.login FROM (VALUES (1)) AS one LEFT JOIN (${OWNER}) AS o ON true`,
    values: [...named(owner), realms, serial, active],
  }),
  assign: ({ serial, owner }) => assign([serial], owner),
  enable: ({ serial, active }) => enable([serial], active),
  move: ({ serial, realms }) => move([serial], realms),
  remove: ({ serial }) => remove([serial]),
  'enable all': ({ serials, active }) => enable(serials, active),
  'move all': ({ serials, realms }) => move(serials, realms),
  'assign all': ({ serials, owner }) => assign(serials, owner),
  'remove all': ({ serials }) => remove(serials),
  import: ({ serials, realms }) => ({
    text: `INSERT INTO tokens (serial, type, active, realm_set_id)
      SELECT serial, 'hmac', true, intern_realm_set(ARRAY(SELECT id FROM realms WHERE name = ANY ($2::text[])))
      FROM unnest($1::text[]) AS serial ON CONFLICT DO NOTHING`,
    values: [serials, realms],
  }),
  settle: ({ serial, failCount }) => ({
    text: 'UPDATE tokens SET fail_count = $2, last_challenge_at = now() WHERE serial = $1',
    values: [serial, failCount],
  }),
  'put realm': ({ realm, resolvers }) => ({
    text: `WITH made AS (INSERT INTO realms (name) VALUES ($1) RETURNING id)
      INSERT INTO realm_resolvers (realm_id, resolver_id, position)
      SELECT made.id, r.id, row_number() OVER (ORDER BY r.name) FROM made, resolvers r WHERE r.name = ANY ($2::text[])`,
    values: [realm, resolvers],
  }),
  // The sets that name it stay unchanged: only the services remove tokens from it.
  'remove realm': ({ realm }) => ({ text: 'DELETE FROM realms WHERE name = $1', values: [realm] }),
  'put resolver': ({ resolver }) => ({
    text: 'INSERT INTO resolvers (name, kind) VALUES ($1, $2)',
    values: [resolver, NAMES.resolvers[resolver]],
  }),
  'remove resolver': ({ resolver }) => ({
    text: 'DELETE FROM resolvers WHERE name = $1',
    values: [resolver],
  }),
  'add user': ({ user }) => ({
    text: `INSERT INTO users (resolver_id, login) VALUES (${PERSON}, $2)`,
    values: named(user),
  }),
  'remove user': ({ user }) => ({
    text: `DELETE FROM users WHERE resolver_id = ${PERSON} AND login = $2`,
    values: named(user),
  }),
  upsert: ({ serial, active, owner }) => ({
    text: `INSERT INTO tokens (serial, type, active, realm_set_id, owner_resolver_id, owner_user_id, owner_login)
      SELECT $3, 'hmac', $4, intern_realm_set('{}'), o.resolver, o.id, o.login
      FROM (VALUES (1)) AS one LEFT JOIN (${OWNER}) AS o ON true
      ON CONFLICT (serial) DO UPDATE SET active = excluded.active, owner_resolver_id = excluded.owner_resolver_id,
        owner_user_id = excluded.owner_user_id, owner_login = excluded.owner_login`,
    values: [...named(owner), serial, active],
  }),
  furnish: ({ serials, realms, owner }) => ({
    text: `INSERT INTO tokens (serial, type, active, realm_set_id, owner_resolver_id, owner_user_id, owner_login)
      SELECT serial, 'hmac', true, ${SET}, o.resolver, o.id, o.login
      FROM unnest($4::text[]) AS serial LEFT JOIN (${OWNER}) AS o ON true
      ON CONFLICT DO NOTHING`,
    values: [...named(owner), realms, serials],
  }),
  'toggle everything': () => ({ text: 'UPDATE tokens SET active = NOT active', values: [] }),
  'exchange owners': ({ serials }) => ({
    text: `UPDATE tokens t SET owner_resolver_id = o.owner_resolver_id, owner_user_id = o.owner_user_id,
        owner_login = o.owner_login, active = o.active, realm_set_id = o.realm_set_id
      FROM (SELECT serial, lead(serial) OVER (ORDER BY serial) AS next FROM unnest($1::text[]) AS serial) AS pair
        JOIN tokens o ON o.serial = pair.next
      WHERE t.serial = pair.serial`,
    values: [serials],
  }),
  'merge sets': ({ from, to }) => ({
    text: `UPDATE tokens SET realm_set_id = (SELECT intern_realm_set(ARRAY(SELECT id FROM realms WHERE name = ANY ($2::text[]))))
      WHERE realm_set_id IN (SELECT id FROM realm_sets
        WHERE realm_ids = ARRAY(SELECT id FROM realms WHERE name = ANY ($1::text[]) ORDER BY id))`,
    values: [from, to],
  }),
  'change set': ({ from, to }) => ({
    text: `UPDATE realm_sets SET realm_ids = ARRAY(SELECT id FROM realms WHERE name = ANY ($2::text[]) ORDER BY id)
      WHERE realm_ids <> '{}' AND realm_ids = ARRAY(SELECT id FROM realms WHERE name = ANY ($1::text[]) ORDER BY id)`,
    values: [from, to],
  }),
  'rename realm': ({ realm, name }) => ({
    text: 'UPDATE realms SET name = $2 WHERE name = $1',
    values: [realm, name],
  }),
  'move user': ({ user, to }) => ({
    text: `UPDATE users SET resolver_id = r.id FROM resolvers r
      WHERE r.name = $3 AND users.resolver_id = ${PERSON} AND users.login = $2`,
    values: [...named(user), to],
  }),
  'truncate tokens': () => ({ text: 'TRUNCATE tokens CASCADE', values: [] }),
  'truncate users': () => ({ text: 'TRUNCATE users', values: [] }),
  rebuild: () => ({ text: 'SELECT rebuild_counts()', values: [] }),
};

/** @returns the change as SQL by hand, without services and without their order of locks */
export function statementFor(change: AnyChange): Statement {
  return (WRITERS[change.kind] as (change: AnyChange) => Statement)(change);
}
