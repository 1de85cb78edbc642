import type { Knex } from 'knex';
import { AUDIT_FIELDS, auditEntry, auditParts, ROWS_OF_TRANSACTION } from '../audit/rows-store.ts';
import {
  type ColumnValues,
  type SharedWrites,
  writeLocked,
  type WritingStatement,
} from '../database/shared-statements.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import type { DeclineKind } from '../ocra/decline.ts';
import type { Act } from '../policy/caller.ts';
import { findToken, stateColumns, withLockedTokens } from '../tokens/token-rows-store.ts';
import { isLocked, type Token, type TokenStateChange } from '../tokens/token.ts';
import type { NotedEntry } from '../webhooks/webhook-event.ts';
import {
  type ChallengeOfToken,
  type Decision,
  MAX_FAIL_COUNT,
  REPEATED_DECLINE,
  REPORT_AFTER_DECLINE,
  VAIN_DECLINE,
} from './challenge.ts';

/** @returns the audit entry of a response, with its effects on the token, in the state before it */
export function decisionEntry(
  act: Act,
  { challenge, token }: ChallengeOfToken,
  decision: Decision,
): NotedEntry {
  const { serial, realms, maxFail, owner } = token;
  const { change, failCount } = decision;
  const isLockedNow = change !== null && !isLocked(token) && isLocked({ failCount, maxFail });
  const isRolledOut = change?.token.rollout === 'complete';
  return {
    ...auditEntry({ ...act, transaction: challenge.transactionId }, serial, outcomeOf(decision), realms),
    user: owner?.login ?? null,
    consequences: [
      ...(isLockedNow ? (['token.locked'] as const) : []),
      ...(isRolledOut ? (['token.enrolled'] as const) : []),
    ],
  };
}

function outcomeOf({ reason, cause, decline, repeats }: Decision): string {
  if (repeats !== undefined) {
    return decline === undefined ? REPORT_AFTER_DECLINE : REPEATED_DECLINE[decline];
  }
  const detail = cause ?? (decline && VAIN_DECLINE[decline]);
  return detail === undefined ? reason : `${reason}, ${detail}`;
}

/** The outcomes of the first decline of an ended transaction. */
const FIRST_LATE_DECLINES: Readonly<Record<DeclineKind, readonly string[]>> = {
  declined: lateOutcomes('declined'),
  reported: lateOutcomes('reported'),
};

function lateOutcomes(kind: DeclineKind): readonly string[] {
  return (['closed', 'dropped', 'expired'] as const).map((end) => `${end}, ${VAIN_DECLINE[kind]}`);
}

/** @returns true for a decline of an ended transaction, which may be the first of its kind */
export function mayBeFirst({ outcome }: NotedEntry, { decline }: Pick<Decision, 'decline'>): boolean {
  return decline !== undefined && FIRST_LATE_DECLINES[decline].includes(outcome);
}

/**
 * @param transaction holds the token's lock, so that of several servers one writes the first
 * @returns the entry; where the audit has such a decline of an ended transaction already, that of a repeat
 */
export async function firstOrRepeat(
  transaction: Knex.Transaction,
  entry: NotedEntry,
  decision: Pick<Decision, 'decline'>,
): Promise<NotedEntry> {
  const { decline } = decision;
  if (decline === undefined || !mayBeFirst(entry, decision)) {
    return entry;
  }
  const { rows } = await transaction.raw<{ rows: unknown[] }>(
    `WITH earlier AS MATERIALIZED (${ROWS_OF_TRANSACTION}) SELECT FROM earlier WHERE outcome = ANY (?) LIMIT 1`,
    [entry.transaction, [...FIRST_LATE_DECLINES[decline]]],
  );
  return rows.length === 0 ? entry : { ...entry, outcome: REPEATED_DECLINE[decline] };
}

type Settlement = NonNullable<Decision['change']> & {
  /** Ids of the token's challenges that it supersedes. */
  readonly supersedes?: readonly string[];
};

/** The columns of a token that a response may change, with their types, for a row of a `WritingStatement`. */
export const TOKEN_FIELDS = `token_id bigint, version bigint, fail_count integer, counter bigint, time_shift integer,
        replay_markers text[], sync_marker text, last_success_at timestamptz, use_count integer,
        success_count integer`;

/** @returns the assignments of an UPDATE of tokens from rows of that name with `TOKEN_FIELDS` */
export function tokenAssignments(row: string): string {
  const columns = ['fail_count', 'counter', 'time_shift', 'replay_markers', 'sync_marker', 'last_success_at'];
  return [...columns, 'use_count', 'success_count']
    .map((column) => `${column} = ${row}.${column}`)
    .join(', ');
}

/** @returns the values of `TOKEN_FIELDS` after a change, which leaves the others, and what else changes: only in a roll-out */
export function tokenColumns(
  token: Token,
  change: TokenStateChange,
): { readonly columns: ColumnValues; readonly rollOut: TokenStateChange } {
  const { failCount, counter, timeShift, replayMarkers, syncMarker, lastSuccessAt, use, ...rollOut } = change;
  const counts = { ...token.use, ...use };
  const columns = {
    token_id: token.id,
    version: token.version,
    fail_count: failCount ?? token.failCount,
    counter: (counter ?? token.counter).toString(),
    time_shift: timeShift ?? token.timeShift,
    replay_markers: replayMarkers ?? token.replayMarkers,
    sync_marker: syncMarker === undefined ? token.syncMarker : syncMarker,
    last_success_at: lastSuccessAt ?? token.lastSuccessAt,
    use_count: counts.useCount,
    success_count: counts.successCount,
  };
  return { columns, rollOut };
}

/**
 * The token, its challenge, those that it supersedes and the audit row: if the token's row is still the version that was
 * read and the challenge is still there and open, or declined and now reported
 * (docs/adr/0003-accepting-a-response-once.md, docs/adr/0034-declined-challenges.md).
 */
export const SETTLE: WritingStatement = {
  name: 'settle-responses',
  text: `WITH request AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1::json) AS request(place integer, ${TOKEN_FIELDS},
        challenge_id bigint, transaction_id text, wrong_count integer,
        received_tan boolean, valid_tan boolean, closed_by text, supersedes bigint[], ${AUDIT_FIELDS})
      WHERE place >= 0 AND token_id > 0 AND version > 0
    ), locked AS MATERIALIZED (
      SELECT request.place FROM request CROSS JOIN LATERAL (
        SELECT FROM tokens JOIN challenges ON challenges.id = request.challenge_id
          AND challenges.token_id = tokens.id AND challenges.transaction_id = request.transaction_id
          AND (challenges.closed_by IS NULL OR challenges.closed_by = 'declined' AND request.closed_by = 'reported')
        WHERE tokens.id = request.token_id AND tokens.version = request.version
        FOR NO KEY UPDATE OF tokens, challenges SKIP LOCKED
      ) AS token
    ), token AS (
      UPDATE tokens
      SET ${tokenAssignments('request')}
      FROM request
      WHERE tokens.id = request.token_id AND tokens.version = request.version
        AND (SELECT count(*) FROM locked) = (SELECT count(*) FROM request)
      RETURNING request.place
    ), challenge AS (
      UPDATE challenges
      SET wrong_count = request.wrong_count, received_tan = request.received_tan, valid_tan = request.valid_tan,
        closed_by = request.closed_by,
        closed_at = CASE WHEN request.closed_by IS NOT NULL THEN coalesce(challenges.closed_at, clock_timestamp()) END
      FROM request JOIN token USING (place)
      WHERE challenges.id = request.challenge_id
      RETURNING request.place
    ), superseded AS (
      UPDATE challenges SET closed_by = 'superseded', closed_at = clock_timestamp()
      FROM request JOIN token USING (place)
      WHERE challenges.id = ANY (request.supersedes) AND challenges.token_id = request.token_id
        AND challenges.closed_by IS NULL
    ), ${auditParts('challenge', '$2')}
    SELECT place, (SELECT count(*) FROM audited)::integer AS written FROM locked`,
};

/**
 * Settles a response in a statement that others share.
 * @param writes of `SETTLE`
 * @returns false, and nothing is stored, if the token or its challenge has changed since it was read, or is just being
 *   changed, or where the change is that of a roll-out, which takes the token's lock
 */
export async function settle(
  writes: SharedWrites,
  seen: ChallengeOfToken,
  settlement: Settlement,
  entry: NotedEntry,
): Promise<boolean> {
  const { columns, rollOut } = columnsOf(seen, settlement);
  return (
    Object.keys(rollOut).length === 0 &&
    (await writes.do({ key: seen.token.id, entry, columns })) !== undefined
  );
}

/**
 * As `settle`, by the same statement in a transaction that holds the token's lock.
 * @returns false if it was not settled: what the transaction has written must not stay
 */
export async function settleLocked(
  unit: UnitOfWork,
  seen: ChallengeOfToken,
  settlement: Settlement,
  entry: NotedEntry,
): Promise<boolean> {
  const { sql } = unit;
  const { columns, rollOut } = columnsOf(seen, settlement);
  const changed =
    Object.keys(rollOut).length === 0
      ? []
      : await sql('tokens')
          .where({ id: seen.token.id })
          .update(stateColumns(rollOut))
          .returning<{ version: string }[]>('version');
  // An operator may be deleting the challenge by hand, without the token's lock, and the statement does not wait.
  await sql('challenges').where({ id: seen.challenge.id }).forNoKeyUpdate().select('id');
  return writeLocked(unit, SETTLE, { columns: { ...columns, ...changed[0] }, entry });
}

/**
 * Counts a wrong PIN for a token, without a challenge that it would belong to. Takes the same steps where there is no such
 * token, so that the time does not tell.
 * @returns undefined: there is no such token, or it is disabled
 */
export async function countWrongPin(
  { sql, audit }: UnitOfWork,
  tokenId: string,
  act: Act,
): Promise<{ readonly isLockedNow: boolean } | undefined> {
  return withLockedTokens(sql, { ids: [tokenId] }, async () => {
    const token = await findToken(sql, { id: tokenId });
    const failCount = Math.min((token?.failCount ?? 0) + 1, MAX_FAIL_COUNT);
    await sql('tokens').where({ id: tokenId, active: true }).update({ fail_count: failCount });
    if (token?.active !== true) {
      return undefined;
    }
    const { serial, realms, maxFail, owner } = token;
    const isLockedNow = !isLocked(token) && isLocked({ failCount, maxFail });
    const reason = isLocked(token) ? 'locked' : 'wrong';
    const entry = {
      ...auditEntry(act, serial, reason, realms),
      user: owner?.login ?? null,
      consequences: isLockedNow ? (['token.locked'] as const) : [],
    };
    await audit.writeAll([entry]);
    return { isLockedNow };
  });
}

/** @returns the columns of the statement, and what else changes of the token: only in a roll-out */
function columnsOf(
  { token, challenge }: ChallengeOfToken,
  settlement: Settlement,
): { readonly columns: ColumnValues; readonly rollOut: TokenStateChange } {
  const { columns: own, rollOut } = tokenColumns(token, settlement.token);
  const { wrongCount, receivedTan, validTan, closedBy } = settlement.challenge;
  const columns = {
    ...own,
    challenge_id: challenge.id,
    transaction_id: challenge.transactionId,
    wrong_count: wrongCount,
    received_tan: receivedTan,
    valid_tan: validTan,
    closed_by: closedBy,
    supersedes: settlement.supersedes ?? [],
  };
  return { columns, rollOut };
}
