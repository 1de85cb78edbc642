import type { Decision } from '../../challenges/challenge.ts';
import type { ChallengeOfToken } from '../../challenges/ports.ts';
import type { Token, TokenStateChange } from '../../tokens/token.ts';
import type { NotedEntry } from '../../webhooks/webhook-event.ts';
import type { Database } from '../../database/database.ts';
import {
  ALL_HELD,
  HELD_COLUMNS,
  HELD_PLACES,
  heldTokens,
  type ColumnValues,
  WritingStatement,
} from '../../database/writing-statement.ts';
import { SharedWrites } from '../../database/shared-writes.ts';

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
