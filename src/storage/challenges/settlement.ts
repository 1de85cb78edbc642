import type { Knex } from 'knex';

import type { Decision } from '../../challenges/challenge.ts';
import type { ChallengeOfToken } from '../../challenges/ports.ts';
import { AUDIT_PLACES, auditColumnValues, INSERTED_COLUMNS } from '../../audit/rows-store.ts';
import type { UnitOfWork } from '../../database/unit-of-work.ts';
import { eventInsert } from '../../webhooks/outbox-store.ts';
import type { NotedEntry } from '../../webhooks/webhook-event.ts';
import { stateColumns } from '../../tokens/token-rows-store.ts';

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
