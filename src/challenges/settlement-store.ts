import type { Knex } from 'knex';
import type { Decision, ChallengeOfToken } from './challenge.ts';
import { AUDIT_PLACES, auditColumnValues, INSERTED_COLUMNS, auditEntry } from '../audit/rows-store.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { eventInsert } from '../webhooks/outbox-store.ts';
import type { NotedEntry } from '../webhooks/webhook-event.ts';
import { stateColumns } from '../tokens/token-rows-store.ts';
import { type Token, type TokenStateChange, isLocked } from '../tokens/token.ts';
import type { Database } from '../database/database.ts';
import {
  ALL_HELD,
  HELD_COLUMNS,
  HELD_PLACES,
  heldTokens,
  type ColumnValues,
  WritingStatement,
} from '../database/writing-statement.ts';
import { SharedWrites } from '../database/shared-writes.ts';
import type { Act } from '../policy/caller.ts';

/** @returns the audit entry of a response, with its effects on the token, in the state before it */
export function decisionEntry(
  act: Act,
  { challenge, token }: ChallengeOfToken,
  { change, failCount, reason }: Decision,
): NotedEntry {
  const { serial, realms, maxFail, owner } = token;
  const isLockedNow = change !== null && !isLocked(token) && isLocked({ failCount, maxFail });
  const isRolledOut = change?.token.rollout === 'complete';
  return {
    ...auditEntry({ ...act, transaction: challenge.transactionId }, serial, reason, realms),
    user: owner?.login ?? null,
    consequences: [
      ...(isLockedNow ? (['token.locked'] as const) : []),
      ...(isRolledOut ? (['token.enrolled'] as const) : []),
    ],
  };
}

type Change = NonNullable<Decision['change']>;

/** The columns of a token that a response changes, with their types. Those of a roll-out are left to `settle`. */
const TOKEN_COLUMNS = {
  fail_count: 'integer',
  counter: 'bigint',
  time_shift: 'integer',
  replay_markers: 'text[]',
  sync_marker: 'text',
  last_success_at: 'timestamptz',
};

const STATEMENT = new WritingStatement({
  name: 'settle-responses',
  columns: {
    ...HELD_COLUMNS,
    challenge_id: 'bigint',
    transaction_id: 'text',
    ...TOKEN_COLUMNS,
    wrong_count: 'integer',
    received_tan: 'boolean',
    valid_tan: 'boolean',
    closed_by: 'text',
  },
  numbers: Object.keys(HELD_COLUMNS),
  parts: `${heldTokens(
    `tokens JOIN challenges ON challenges.id = want.challenge_id AND challenges.token_id = tokens.id
          AND challenges.transaction_id = want.transaction_id AND challenges.closed_by IS NULL`,
    'tokens, challenges',
  )}, token AS (
      UPDATE tokens SET ${Object.keys(TOKEN_COLUMNS)
        .map((column) => `${column} = want.${column}`)
        .join(', ')}
      FROM want WHERE ${ALL_HELD} RETURNING want.place
    ), challenge AS (
      UPDATE challenges
      SET wrong_count = want.wrong_count, received_tan = want.received_tan, valid_tan = want.valid_tan,
        closed_by = want.closed_by, closed_at = CASE WHEN want.closed_by IS NOT NULL THEN clock_timestamp() END
      FROM want JOIN token USING (place)
      WHERE challenges.id = want.challenge_id RETURNING want.place
    )`,
  written: 'challenge',
  answer: HELD_PLACES,
});

/** Settles responses as `settle` does, in statements that responses share. */
export class SharedSettlement {
  readonly #writes: SharedWrites;

  constructor(database: Database) {
    this.#writes = new SharedWrites(database, STATEMENT);
  }

  /** @returns undefined where the change is one for `settle`, else whether it was settled */
  settle(
    seen: ChallengeOfToken,
    { token, challenge }: Change,
    entry: NotedEntry,
  ): Promise<boolean> | undefined {
    const changed = tokenColumns(seen.token, token);
    return (
      changed &&
      this.#settle(seen.token.id, entry, {
        token_id: seen.token.id,
        version: seen.token.version,
        challenge_id: seen.challenge.id,
        transaction_id: seen.challenge.transactionId,
        ...changed,
        wrong_count: challenge.wrongCount,
        received_tan: challenge.receivedTan,
        valid_tan: challenge.validTan,
        closed_by: challenge.closedBy,
      })
    );
  }

  async #settle(key: string, entry: NotedEntry, columns: ColumnValues): Promise<boolean> {
    return (await this.#writes.do({ key, entry, columns })) !== undefined;
  }
}

/** @returns the values after the change; undefined where it changes other columns, too */
function tokenColumns(
  seen: Token,
  { failCount, counter, timeShift, replayMarkers, syncMarker, lastSuccessAt, ...others }: TokenStateChange,
): Readonly<Record<keyof typeof TOKEN_COLUMNS, unknown>> | undefined {
  if (Object.keys(others).length > 0) {
    return undefined;
  }
  return {
    fail_count: failCount ?? seen.failCount,
    counter: (counter ?? seen.counter).toString(),
    time_shift: timeShift ?? seen.timeShift,
    replay_markers: replayMarkers ?? seen.replayMarkers,
    sync_marker: syncMarker === undefined ? seen.syncMarker : syncMarker,
    last_success_at: lastSuccessAt ?? seen.lastSuccessAt,
  };
}

/** The changes of a decision. */
type Settlement = NonNullable<Decision['change']> & {
  /** Ids of the token's challenges that it supersedes. */
  readonly supersedes?: readonly string[];
};

const SUPERSEDED = `superseded AS (
       UPDATE challenges SET closed_by = 'superseded', closed_at = clock_timestamp()
       FROM token
       WHERE challenges.id = ANY (?::bigint[]) AND challenges.token_id = token.id AND challenges.closed_by IS NULL
     ),`;

const NOTED = `, noted AS (
       ${eventInsert('?', 'CROSS JOIN challenge')}
     )`;

/**
 * Settles a response in one statement, hence in a transaction of its own where the unit has none: the token, its
 * challenge and the audit row. All are written if the token's row is still the version that was read and the challenge
 * is still there and open, else none (docs/adr/0003-accepting-a-response-once.md).
 * @returns true if it was settled
 */
export async function settle(
  { sql, audit }: UnitOfWork<Knex>,
  seen: ChallengeOfToken,
  change: Settlement,
  entry: NotedEntry,
): Promise<boolean> {
  const token = Object.entries(stateColumns(change.token));
  const { wrongCount, receivedTan, validTan, closedBy } = change.challenge;
  const { supersedes = [] } = change;
  // The serial stays the same: the token's row is always written, as its version stands for its challenges.
  const statement = (noted: string): string => `WITH token AS (
       UPDATE tokens SET ${['serial = serial', ...token.map(([column]) => `${column} = ?`)].join(', ')}
       WHERE id = ? AND version = ?
         AND EXISTS (
           SELECT FROM challenges
           WHERE challenges.id = ? AND challenges.token_id = tokens.id AND transaction_id = ? AND closed_by IS NULL)
       RETURNING id
     ), challenge AS (
       UPDATE challenges
       SET wrong_count = ?, received_tan = ?, valid_tan = ?, closed_by = ?,
         closed_at = CASE WHEN ? THEN clock_timestamp() END
       FROM token
       WHERE challenges.id = ? AND challenges.token_id = token.id
       RETURNING challenges.id
     ), ${supersedes.length > 0 ? SUPERSEDED : ''} audited AS (
       INSERT INTO audit (${INSERTED_COLUMNS})
       SELECT ${AUDIT_PLACES} FROM challenge
       RETURNING id
     )${noted}
     SELECT EXISTS (SELECT FROM audited) AS settled`;
  const values = [
    ...token.map(([, value]) => value),
    seen.token.id,
    seen.token.version,
    seen.challenge.id,
    seen.challenge.transactionId,
    wrongCount,
    receivedTan,
    validTan,
    closedBy,
    closedBy !== null,
    seen.challenge.id,
    ...(supersedes.length > 0 ? [[...supersedes]] : []),
  ] as Knex.RawBinding[];
  return audit.writeBy([entry], async (signed, on, events) => {
    const bound = [...values, ...signed.flatMap(auditColumnValues)];
    const hasEvents = events.length > 0;
    const { rows } = await on(
      sql.raw<{ rows: { settled: boolean }[] }>(statement(hasEvents ? NOTED : ''), [
        ...bound,
        ...(hasEvents ? [JSON.stringify(events)] : []),
      ]),
    );
    return rows[0]?.settled === true;
  });
}
