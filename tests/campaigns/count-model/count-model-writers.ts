import { type Change, type Isolation, NAMES, type Person } from './count-model-changes.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A statement for a pg client. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

type Writer<Kind> = (change: Extract<Change, { kind: Kind }>) => Statement;

/** The columns of an owner in a bare INSERT or UPDATE: three, all NULL without the resolver. */
const OWNER = `SELECT r.id AS resolver, coalesce(u.id::text, p.login) AS id, p.login
  FROM (VALUES ($1::text, $2::text)) AS p (resolver, login)
    JOIN resolvers r ON r.name = p.resolver
    LEFT JOIN users u ON u.resolver_id = r.id AND u.login = p.login`;

const SET = 'intern_realm_set(ARRAY(SELECT id FROM realms WHERE name = ANY ($3::text[])))';

const PERSON = `(SELECT id FROM resolvers WHERE name = $1)`;

const named = (owner: Person | null): readonly unknown[] => [owner?.resolver ?? null, owner?.login ?? null];

const WRITERS: { readonly [Kind in Change['kind']]: Writer<Kind> } = {
  enrol: ({ serial, active, realms, owner }) => ({
    text: `INSERT INTO tokens (serial, type, active, realm_set_id, owner_resolver_id, owner_user_id, owner_login)
      SELECT $4, 'hmac', $5, ${SET}, o.resolver, o.id, o.login FROM (VALUES (1)) AS one LEFT JOIN (${OWNER}) AS o ON true`,
    values: [...named(owner), realms, serial, active],
  }),
  'enable all': ({ serials, active }) => ({
    text: 'UPDATE tokens SET active = $2 WHERE serial = ANY ($1::text[])',
    values: [serials, active],
  }),
  'move all': ({ serials, realms }) => ({
    text: `UPDATE tokens SET realm_set_id = (SELECT intern_realm_set(ARRAY(SELECT id FROM realms WHERE name = ANY ($2::text[]))))
      WHERE serial = ANY ($1::text[])`,
    values: [serials, realms],
  }),
  'assign all': ({ serials, owner }) => ({
    text: `UPDATE tokens SET (owner_resolver_id, owner_user_id, owner_login) = (${OWNER}) WHERE serial = ANY ($3::text[])`,
    values: [...named(owner), serials],
  }),
  'remove all': ({ serials }) => ({
    text: 'DELETE FROM tokens WHERE serial = ANY ($1::text[])',
    values: [serials],
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
  // The sets that name it stay unchanged.
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

/** @returns the change as SQL by hand, without the services' order of locks */
export function statementFor(change: Change): Statement {
  return (WRITERS[change.kind] as (change: Change) => Statement)(change);
}

/** Milliseconds after which a statement counts as waiting for a lock: the run continues without it. */
const BLOCKED_AFTER = 4;

/** The longest wait of a writer for a lock, in milliseconds. */
export const LOCK_TIMEOUT = 50;

/**
 * Expected errors of a writer: unique, foreign key and check violations, serialization failure, deadlock, lock
 * time-out, intern_realm_set in a snapshot that is too old to see the conflicting set, and a fold in such a snapshot.
 */
const EXPECTED = ['23505', '23503', '23001', '23502', '40001', '40P01', '55P03', 'P0002', '25000'];

/** A writer that works sequentially, concurrently with others. */
export class Lane {
  #last: Promise<void> = Promise.resolve();
  readonly #faults: unknown[] = [];

  /**
   * Appends work, and resolves when it is done or waits for a lock.
   * @param work a change; an expected error counts as a refusal
   * @param note receives true if it was done
   */
  async take(work: () => Promise<void>, note: (done: boolean) => void = () => undefined): Promise<void> {
    this.#last = this.#last.then(work).then(
      () => {
        note(true);
      },
      (error: unknown) => {
        note(false);
        if (!isExpected(error)) {
          this.#faults.push(error);
        }
      },
    );
    await Promise.race([this.#last, sleep(BLOCKED_AFTER)]);
  }

  /** Waits for all of its work. */
  async rest(): Promise<void> {
    await this.#last;
  }

  /** @throws the first unexpected error */
  assertNothingUnexpected(): void {
    if (this.#faults.length > 0) {
      throw this.#faults[0];
    }
  }
}

/** @returns true if one writer may cause the error for another */
export function isExpected(error: unknown): boolean {
  const { code = '', cause } = error as { code?: string; cause?: unknown };
  return EXPECTED.includes(code) || (code === 'database.unavailable' && isExpected(cause));
}

/** A user of psql: transactions of any kind, savepoints, statements by hand. */
export class Hand {
  readonly #client: pg.Client;
  #isOpen = false;
  #savepoints = 0;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async connect(url: string): Promise<Hand> {
    const client = new pg.Client({ connectionString: url, application_name: 'count model' });
    await client.connect();
    await client.query(`SET lock_timeout = ${LOCK_TIMEOUT}`);
    // Shortens the time to detect a deadlock, if permitted: only superusers may.
    await client.query('SET deadlock_timeout = 20').catch(() => undefined);
    return new Hand(client);
  }

  async begin(isolation: Isolation): Promise<void> {
    if (!this.#isOpen) {
      await this.#client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
      this.#isOpen = true;
      this.#savepoints = 0;
    }
  }

  async savepoint(): Promise<void> {
    if (this.#isOpen) {
      await this.#client.query('SAVEPOINT here');
      this.#savepoints += 1;
    }
  }

  async rollBackToSavepoint(): Promise<void> {
    if (this.#isOpen && this.#savepoints > 0) {
      await this.#client.query('ROLLBACK TO SAVEPOINT here; RELEASE SAVEPOINT here');
      this.#savepoints -= 1;
    }
  }

  /** @param commit otherwise the transaction is rolled back */
  async end(commit: boolean): Promise<void> {
    if (this.#isOpen) {
      this.#isOpen = false;
      await this.#client.query(commit ? 'COMMIT' : 'ROLLBACK');
    }
  }

  /** After a failure rolls back to the last savepoint, or ends the transaction. */
  async run({ text, values }: Statement): Promise<void> {
    try {
      await this.#client.query(text, [...values]);
    } catch (error) {
      await (this.#savepoints > 0 ? this.rollBackToSavepoint() : this.end(false));
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
