import type { Knex } from 'knex';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { auditMonths } from '../audit/pruning-store.ts';
import type { BackupSnapshot } from './backup-format.ts';
import type { Act } from '../policy/caller.ts';
import type { Database } from '../database/database.ts';
import { appliedMigrations } from '../database/migrate.ts';
import { connectionOf } from '../database/pool.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { readKeys } from '../keys/key-store.ts';
import { keepUntouched } from '../linotp/token-import-store.ts';
import { withLockedTokens } from '../tokens/token-rows-store.ts';

/** The tables of a backup, each after those that its foreign keys name. */
// prettier-ignore
export const BACKED_UP_TABLES = [
  'realms', 'resolvers', 'realm_resolvers', 'resolver_user_counts', 'realm_sets', 'users', 'tokens',
  'challenges', 'configuration', 'policies', 'administrators', 'api_tokens', 'passkeys',
  'webhooks',
  'imported_entries', 'imported_tokens', 'encryption_keys', 'audit_checkpoints', 'audit',
  // Last: triggers of the tables above write it.
  'configuration_state',
] as const;

/**
 * Tables that a backup leaves out: what running servers keep for each other, counts, which a restore makes anew,
 * sessions, of which a restore could bring back one that was revoked since, sign-ins under way, events, which
 * receivers have got since, what servers have observed, the last look at the clock, and verifications, which are of
 * another trail.
 */
// prettier-ignore
export const LEFT_OUT_TABLES = [
  'rate_limits', 'sessions', 'sign_in_attempts', 'used_sign_ons', 'user_sessions', 'count_state', 'count_deltas',
  'token_counts', 'active_user_tokens', 'active_user_counts', 'user_count_deltas', 'user_counts',
  'webhook_events', 'webhook_deliveries', 'webhook_health',
  'response_minutes', 'resolver_uses',
  'locked_token_deltas', 'locked_token_counts', 'audit_verifications', 'clock_state',
] as const;

/** Reads all tables for a backup. */
export class BackupStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** Reads in one snapshot of any duration; writers are not blocked. `work` runs once. */
  async read<T>(work: (snapshot: BackupSnapshot) => Promise<T>): Promise<T> {
    let hasBegun = false;
    const faults: unknown[] = [];
    const read = async ({ sql }: UnitOfWork): Promise<T> => {
      await sql.raw('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      // Locks all tables before the first read: a snapshot does not hold back changes of the schema, and does not see
      // rows that these have moved.
      await sql.raw(`LOCK TABLE ${BACKED_UP_TABLES.join(', ')} IN ACCESS SHARE MODE`);
      if (hasBegun) {
        throw new Error('A backup that has begun cannot be repeated');
      }
      hasBegun = true;
      return work(await snapshotIn(sql)).catch((error: unknown) => {
        faults.push(error);
        throw error;
      });
    };
    try {
      return await this.#database.transact(read, { isLong: true });
    } catch (error) {
      // Where the work has failed within a COPY, its connection was cut.
      throw faults[0] ?? error;
    }
  }

  note(act: Act, outcome: string): Promise<void> {
    return this.#database.audit.autocommit.write(act, 'backup', outcome);
  }

  /**
   * Closes all challenges that are open now, some tokens at a time, while servers run. As every change of challenges, it
   * locks and writes the tokens first, so that no settlement that was decided before takes effect (ADR 0003).
   * @returns their number
   */
  async closeChallenges(act: Act): Promise<number> {
    const { knex } = this.#database;
    const last = await knex('challenges').max<{ max: string | null }[]>('id');
    let closed = 0;
    for (;;) {
      const some = await this.#database.transact((unit) => closeSome(unit, last[0]?.max ?? '0', act));
      if (some === undefined) {
        if (closed === 0) {
          await this.#database.audit.autocommit.write(act, 'challenges', closedOutcome(0));
        }
        return closed;
      }
      closed += some;
    }
  }

  /** @returns the approximate number of rows, from the database's statistics */
  async estimate(): Promise<number> {
    const { rows } = await this.#database.knex.raw<{ rows: { rows: number }[] }>(
      `SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 AS rows FROM pg_class AS c
       WHERE c.oid = ANY (?::regclass[])
         OR c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'audit'::regclass)`,
      [[...BACKED_UP_TABLES]],
    );
    return Math.round(rows[0]?.rows ?? 0);
  }
}

/** Tokens whose challenges one transaction closes. */
const TOKENS_AT_ONCE = 1_000;

function closedOutcome(closed: number): string {
  return `closed ${closed} open ones`;
}

/** @returns the number of challenges that it closed; undefined: none is open */
async function closeSome({ sql, audit }: UnitOfWork, last: string, act: Act): Promise<number | undefined> {
  await sql.raw('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  const open = sql('challenges').whereNull('closed_by').where('id', '<=', last);
  const ids = await open.clone().distinct('token_id').limit(TOKENS_AT_ONCE).pluck<string[]>('token_id');
  if (ids.length === 0) {
    return undefined;
  }
  return withLockedTokens(sql, { ids }, async () => {
    await sql.raw('UPDATE tokens SET serial = serial WHERE id = ANY (?::bigint[])', [ids]);
    await keepUntouched(sql, ids);
    const closed = await open
      .whereIn('token_id', ids)
      .update({ closed_by: 'superseded', closed_at: sql.raw('clock_timestamp()') });
    await audit.write(act, 'challenges', closedOutcome(closed));
    return closed;
  });
}

async function snapshotIn(sql: Knex.Transaction): Promise<BackupSnapshot> {
  const columns = await storedColumns(sql);
  const lastIds = await identitiesIn(sql);
  return {
    migrations: (await appliedMigrations(sql)).map(({ name, checksum }) => ({
      name,
      checksum: checksum ?? '',
    })),
    keys: await readKeys(sql),
    auditMonths: await auditMonths(sql),
    tables: BACKED_UP_TABLES.map((name) => ({
      name,
      columns: columns.get(name) ?? [],
      last_id: lastIds.get(name),
    })),
    copy: (name) => copyOut(sql, name, columns.get(name) ?? []),
  };
}

async function* copyOut(
  sql: Knex.Transaction,
  table: string,
  columns: readonly string[],
): AsyncGenerator<Uint8Array> {
  const client = await connectionOf(sql);
  // A partitioned table has no rows of its own.
  const names = columns.map((name) => pg.escapeIdentifier(name)).join(', ');
  const rows = client.query(copyTo(`COPY (SELECT ${names} FROM ${table}) TO STDOUT`));
  try {
    yield* rows as AsyncIterable<Buffer>;
  } finally {
    if (!rows.readableEnded) {
      void client.end();
    }
  }
}

/** @returns the columns of each table that the database does not compute itself */
async function storedColumns(sql: Knex): Promise<ReadonlyMap<string, string[]>> {
  const { rows } = await sql.raw<{ rows: { name: string; columns: string[] }[] }>(
    `SELECT relname AS name, array_agg(attname::text ORDER BY attnum) AS columns
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE attrelid = ANY (?::regclass[]) AND attnum > 0 AND NOT attisdropped AND attgenerated = '' GROUP BY 1`,
    [[...BACKED_UP_TABLES]],
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

/**
 * Sequences belong to no snapshot. They are read after it was taken, so no row in it has a later id.
 */
async function identitiesIn(sql: Knex.Transaction): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql.raw<{ rows: { name: string; last: string | null }[] }>(
    `SELECT t.relname AS name, pg_sequence_last_value(s.oid)::text AS last
     FROM pg_class AS s
       JOIN pg_depend AS d ON d.objid = s.oid AND d.deptype IN ('a', 'i')
       JOIN pg_class AS t ON t.oid = d.refobjid
     WHERE s.relkind = 'S' AND t.oid = ANY (?::regclass[])`,
    [[...BACKED_UP_TABLES]],
  );
  // Without a value: the table has given no id.
  return new Map(rows.flatMap(({ name, last }) => (last === null ? [] : [[name, last] as const])));
}
