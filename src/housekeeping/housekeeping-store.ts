import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';

import type { Act } from '../policy/caller.ts';
import type { Database } from '../database/database.ts';
import { keepUntouched } from '../linotp/token-import-store.ts';
import type { HousekeepingChore, HousekeepingMoments, HousekeepingTally } from './housekeeping.ts';

/** The advisory lock of housekeeping. "tank", "hous". */
export const HOUSEKEEPING_LOCK = [0x74616e6b, 0x686f7573] as const;
/** The approximate number of rows that one transaction removes; it holds their locks for some milliseconds. */
const CHUNK = 1_000;
/** Milliseconds between two transactions: requests come first. */
const PAUSE_MS = 50;
/** The most due rows that are counted: a higher number is of no use, and counting would take long. */
const MAX_COUNTED = 1_000_000;

interface ChoreStep {
  readonly chore: HousekeepingChore;
  /** A query for the rows that are due. */
  readonly due: (connection: Knex, moments: HousekeepingMoments) => Knex.QueryBuilder;
  /** Removes about `max` of them, except those that another transaction holds. @returns the number of removed rows */
  readonly remove: (
    transaction: Knex.Transaction,
    moments: HousekeepingMoments,
    max: number,
  ) => Promise<number>;
}

const openChallenges: ChoreStep = {
  chore: 'challenges',
  due: (connection, { challengesEndBefore }) =>
    connection('challenges').whereNull('closed_by').where('open_until', '<', challengesEndBefore),
  // A settlement that was decided before an open challenge expired may still be under way. As every change of
  // challenges, this therefore locks and writes the token first (ADR 0003). A statement that begins afterwards reads
  // the challenges again.
  remove: async (transaction, { challengesEndBefore }, max) => {
    const { rows } = await transaction.raw<{ rows: { id: string }[] }>(
      `SELECT id FROM tokens WHERE id = ANY (ARRAY(
         SELECT token_id FROM challenges WHERE closed_by IS NULL AND open_until < ? ORDER BY open_until LIMIT ?))
       ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`,
      [challengesEndBefore, max],
    );
    const tokens = rows.map(({ id }) => id);
    await transaction.raw('UPDATE tokens SET serial = serial WHERE id = ANY (?::bigint[])', [tokens]);
    await keepUntouched(transaction, tokens);
    return transaction('challenges')
      .whereRaw('token_id = ANY (?::bigint[])', [tokens])
      .whereNull('closed_by')
      .where('open_until', '<', challengesEndBefore)
      .delete();
  },
};

const closedChallenges: ChoreStep = {
  chore: 'challenges',
  due: (connection, { challengesEndBefore }) =>
    connection('challenges').whereNotNull('closed_by').where('open_until', '<', challengesEndBefore),
  // A closed one does not change any more: no decision can depend on it.
  remove: (transaction, { challengesEndBefore }, max) =>
    removedBy(
      transaction,
      `DELETE FROM challenges WHERE id = ANY (ARRAY(
         SELECT id FROM challenges WHERE closed_by IS NOT NULL AND open_until < ?
         ORDER BY open_until LIMIT ? FOR UPDATE SKIP LOCKED))`,
      [challengesEndBefore, max],
    ),
};

/** @param ended the condition on rows of the table, with the instant as its parameter */
const endedSessions = (table: 'sessions' | 'user_sessions', ended: string): ChoreStep => ({
  chore: 'sessions',
  due: (connection, { sessionsEndBy }) => connection(table).whereRaw(`(${ended})`, [sessionsEndBy]),
  remove: (transaction, { sessionsEndBy }, max) =>
    removedBy(
      transaction,
      `DELETE FROM ${table} WHERE id = ANY (ARRAY(
         SELECT id FROM ${table} WHERE ${ended} LIMIT ? FOR UPDATE SKIP LOCKED))`,
      [sessionsEndBy, max],
    ),
});

/**
 * Milliseconds; longer than any limit. A later end was counted under a clock that ran ahead, and would block clients.
 */
const NO_LIMIT_LASTS = 3_600_000;

const endedLimits: ChoreStep = {
  chore: 'rate limits',
  due: (connection, { limitsEndBy }) =>
    connection('rate_limits').whereRaw('(expire <= ? OR expire > ?)', limitBounds(limitsEndBy)),
  remove: (transaction, { limitsEndBy }, max) =>
    removedBy(
      transaction,
      `DELETE FROM rate_limits WHERE key = ANY (ARRAY(
         SELECT key FROM rate_limits WHERE expire <= ? OR expire > ? LIMIT ? FOR UPDATE SKIP LOCKED))`,
      [...limitBounds(limitsEndBy), max],
    ),
};

const HOUR = "date_trunc('hour', minute, 'UTC')";
/** In the order of the keys, as servers add to rows. */
const FOLD_MINUTES = `
  WITH gone AS (
    DELETE FROM response_minutes WHERE (minute, outcome) IN (
      SELECT minute, outcome FROM response_minutes WHERE minute < ? AND minute <> ${HOUR}
      ORDER BY minute, outcome LIMIT ? FOR UPDATE SKIP LOCKED)
    RETURNING minute, outcome, durations),
  sums AS (
    SELECT ${HOUR} AS hour, outcome, place, sum(number)::bigint AS number
    FROM gone, unnest(durations) WITH ORDINALITY AS classes (number, place) GROUP BY hour, outcome, place),
  kept AS (
    INSERT INTO response_minutes AS kept (minute, outcome, durations)
    SELECT hour, outcome, array_agg(number ORDER BY place) FROM sums GROUP BY hour, outcome ORDER BY hour, outcome
    ON CONFLICT (minute, outcome) DO UPDATE SET durations = (
      SELECT array_agg(coalesce(one, 0) + coalesce(other, 0) ORDER BY place)
      FROM unnest(kept.durations, excluded.durations) WITH ORDINALITY AS sums (one, other, place)))
  SELECT count(*) AS folded FROM gone`;

const oldResponseMinutes: ChoreStep = {
  chore: 'response minutes',
  due: (connection, { responsesCountedBefore }) =>
    connection('response_minutes').where('minute', '<', responsesCountedBefore),
  remove: (transaction, { responsesCountedBefore }, max) =>
    removedBy(
      transaction,
      `DELETE FROM response_minutes WHERE (minute, outcome) IN (
         SELECT minute, outcome FROM response_minutes WHERE minute < ?
         ORDER BY minute, outcome LIMIT ? FOR UPDATE SKIP LOCKED)`,
      [responsesCountedBefore, max],
    ),
};

/** The row of a whole hour has the sums of its minutes. */
const responseMinutesByHour: ChoreStep = {
  chore: 'response minutes',
  due: (connection, { responsesByHourBefore, responsesCountedBefore }) =>
    connection('response_minutes')
      .where('minute', '>=', responsesCountedBefore)
      .where('minute', '<', responsesByHourBefore)
      .whereRaw(`minute <> ${HOUR}`),
  remove: async (transaction, { responsesByHourBefore }, max) => {
    const { rows } = await transaction.raw<{ rows: { folded: string }[] }>(FOLD_MINUTES, [
      responsesByHourBefore,
      max,
    ]);
    return Number(rows[0]?.folded ?? 0);
  },
};

/** All steps, in the order in which they are done. */
export const CHORE_STEPS: readonly ChoreStep[] = [
  openChallenges,
  closedChallenges,
  endedSessions('sessions', 'expires_at <= ? OR revoked_at IS NOT NULL'),
  endedSessions('user_sessions', 'expires_at <= ?'),
  endedLimits,
  oldResponseMinutes,
  responseMinutesByHour,
];

/** Removes old rows from PostgreSQL in chunks, which changes no answer: docs/adr/0003-accepting-a-response-once.md. */
export class HousekeepingStore {
  readonly #database: Database;
  readonly #chunk: number;

  constructor({
    database,
    chunk = CHUNK,
  }: {
    readonly database: Database;
    /** Approximate rows of a transaction; 1000 by default. */
    readonly chunk?: number;
  }) {
    this.#database = database;
    this.#chunk = chunk;
  }

  /** @returns the number of due rows of each kind, counted up to a million */
  async backlog(moments: HousekeepingMoments): Promise<readonly HousekeepingTally[]> {
    const sums = new Map<HousekeepingChore, number>();
    for (const { chore, due } of CHORE_STEPS) {
      const rows = await countUpTo(this.#database.knex, due(this.#database.knex, moments));
      sums.set(chore, (sums.get(chore) ?? 0) + rows);
    }
    return [...sums].map(([chore, rows]) => ({ chore, rows: Math.min(rows, MAX_COUNTED) }));
  }

  /**
   * Removes due rows, unless another server is doing so. Rows locked by others are left for the next round.
   * @param options.signal ends it after the current piece
   * @param options.removed receives each piece
   * @param options.also runs at the end, under the same lock
   * @returns false when another server holds the lock, and nothing was removed
   */
  async clear(
    moments: HousekeepingMoments,
    {
      signal,
      removed,
      also,
    }: {
      readonly signal: AbortSignal;
      readonly removed: (tally: HousekeepingTally) => void;
      readonly also?: () => Promise<void>;
    },
  ): Promise<boolean> {
    // A transaction that does nothing else holds the lock: it ends with its connection, whatever happens to this
    // process, and a pooler in transaction mode keeps its connection. It holds up no vacuum: it has written nothing, and
    // holds no snapshot.
    const holder = await this.#database.knex.transaction();
    try {
      if (!(await takeLock(holder))) {
        return false;
      }
      for (const step of CHORE_STEPS) {
        await this.#clearStep(step, moments, signal, removed);
      }
      if (!signal.aborted) {
        await also?.();
      }
      return true;
    } finally {
      // If the connection is lost, so is the lock.
      await holder.rollback().catch(() => undefined);
    }
  }

  /** Writes an audit row about a requested removal. */
  async note(act: Act, outcome: string): Promise<void> {
    await this.#database.audit.autocommit.write(act, 'housekeeping', outcome);
  }

  async #clearStep(
    { chore, remove }: ChoreStep,
    moments: HousekeepingMoments,
    signal: AbortSignal,
    removed: (tally: HousekeepingTally) => void,
  ): Promise<void> {
    while (!signal.aborted) {
      const rows = await this.#database.transact(async ({ sql }) => {
        await sql.raw('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
        // A removal that is lost in a crash is done again.
        await sql.raw('SET LOCAL synchronous_commit = off');
        return remove(sql, moments, this.#chunk);
      });
      if (rows === 0) {
        return;
      }
      removed({ chore, rows });
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/**
 * The text has no parameters: the portal of a statement with parameters stays open until the next statement, and with it
 * its snapshot, for which PostgreSQL keeps all rows that others remove meanwhile.
 */
async function takeLock(holder: Knex.Transaction): Promise<boolean> {
  await holder.raw('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await holder.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
  const { rows } = await holder.raw<{ rows: { taken: boolean }[] }>(
    `SELECT pg_try_advisory_xact_lock(${HOUSEKEEPING_LOCK.join(', ')}) AS taken`,
  );
  return rows[0]?.taken === true;
}

async function countUpTo(connection: Knex, due: Knex.QueryBuilder): Promise<number> {
  const some = due.select(connection.raw('1')).limit(MAX_COUNTED).as('due');
  const [row] = await connection.from(some).count<{ count: string }[]>();
  return Number(row?.count ?? 0);
}

function limitBounds(endBy: Date): readonly [number, number] {
  return [endBy.getTime(), endBy.getTime() + NO_LIMIT_LASTS];
}

async function removedBy(
  transaction: Knex.Transaction,
  statement: string,
  values: readonly Knex.Value[],
): Promise<number> {
  const { rowCount } = await transaction.raw<{ rowCount: number | null }>(statement, values);
  return rowCount ?? 0;
}
