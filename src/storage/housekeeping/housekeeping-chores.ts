import type { Knex } from 'knex';

import type { HousekeepingChore, HousekeepingMoments } from '../../housekeeping/ports.ts';
import { keepUntouched } from '../linotp/token-import-rows.ts';

/** One step of housekeeping. */
export interface ChoreStep {
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
  due: (connection, { challengesIssuedBefore }) =>
    connection('challenges').whereNull('closed_by').where('issued_at', '<', challengesIssuedBefore),
  // A settlement that was decided before an open challenge expired may still be under way. As every change of
  // challenges, this therefore locks and writes the token first (ADR 0003). A statement that begins afterwards reads
  // the challenges again.
  remove: async (transaction, { challengesIssuedBefore }, max) => {
    const { rows } = await transaction.raw<{ rows: { id: string }[] }>(
      `SELECT id FROM tokens WHERE id = ANY (ARRAY(
         SELECT token_id FROM challenges WHERE closed_by IS NULL AND issued_at < ? ORDER BY issued_at LIMIT ?))
       ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`,
      [challengesIssuedBefore, max],
    );
    const tokens = rows.map(({ id }) => id);
    await transaction.raw('UPDATE tokens SET serial = serial WHERE id = ANY (?::bigint[])', [tokens]);
    await keepUntouched(transaction, tokens);
    return transaction('challenges')
      .whereRaw('token_id = ANY (?::bigint[])', [tokens])
      .whereNull('closed_by')
      .where('issued_at', '<', challengesIssuedBefore)
      .delete();
  },
};

const closedChallenges: ChoreStep = {
  chore: 'challenges',
  due: (connection, { challengesIssuedBefore }) =>
    connection('challenges').whereNotNull('closed_by').where('issued_at', '<', challengesIssuedBefore),
  // A closed one does not change any more: no decision can depend on it.
  remove: async (transaction, { challengesIssuedBefore }, max) =>
    rowsOf(
      await transaction.raw(
        `DELETE FROM challenges WHERE id = ANY (ARRAY(
           SELECT id FROM challenges WHERE closed_by IS NOT NULL AND issued_at < ?
           ORDER BY issued_at LIMIT ? FOR UPDATE SKIP LOCKED))`,
        [challengesIssuedBefore, max],
      ),
    ),
};

const endedSessions: ChoreStep = {
  chore: 'sessions',
  due: (connection, { sessionsEndBy }) =>
    connection('sessions').whereRaw('(expires_at <= ? OR revoked_at IS NOT NULL)', [sessionsEndBy]),
  remove: async (transaction, { sessionsEndBy }, max) =>
    rowsOf(
      await transaction.raw(
        `DELETE FROM sessions WHERE id = ANY (ARRAY(
           SELECT id FROM sessions WHERE expires_at <= ? OR revoked_at IS NOT NULL LIMIT ? FOR UPDATE SKIP LOCKED))`,
        [sessionsEndBy, max],
      ),
    ),
};

/**
 * Milliseconds; longer than any limit. A later end was counted under a clock that ran ahead, and would block clients.
 */
const NO_LIMIT_LASTS = 3_600_000;

const endedLimits: ChoreStep = {
  chore: 'rate limits',
  due: (connection, { limitsEndBy }) =>
    connection('rate_limits').whereRaw('(expire <= ? OR expire > ?)', limitBounds(limitsEndBy)),
  remove: async (transaction, { limitsEndBy }, max) =>
    rowsOf(
      await transaction.raw(
        `DELETE FROM rate_limits WHERE key = ANY (ARRAY(
           SELECT key FROM rate_limits WHERE expire <= ? OR expire > ? LIMIT ? FOR UPDATE SKIP LOCKED))`,
        [...limitBounds(limitsEndBy), max],
      ),
    ),
};

const oldResponseMinutes: ChoreStep = {
  chore: 'response minutes',
  due: (connection, { responsesCountedBefore }) =>
    connection('response_minutes').where('minute', '<', responsesCountedBefore),
  remove: async (transaction, { responsesCountedBefore }, max) =>
    rowsOf(
      await transaction.raw(
        `DELETE FROM response_minutes WHERE (minute, outcome) IN (
           SELECT minute, outcome FROM response_minutes WHERE minute < ?
           ORDER BY minute, outcome LIMIT ? FOR UPDATE SKIP LOCKED)`,
        [responsesCountedBefore, max],
      ),
    ),
};

/** All steps, in the order in which they are done. */
export const CHORE_STEPS: readonly ChoreStep[] = [
  openChallenges,
  closedChallenges,
  endedSessions,
  endedLimits,
  oldResponseMinutes,
];

function limitBounds(endBy: Date): readonly [number, number] {
  return [endBy.getTime(), endBy.getTime() + NO_LIMIT_LASTS];
}

function rowsOf({ rowCount }: { rowCount: number | null }): number {
  return rowCount ?? 0;
}
