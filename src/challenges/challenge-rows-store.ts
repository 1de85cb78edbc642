import type { Knex } from 'knex';
import type { Challenge, ClosedBy, ChallengeOfToken } from './challenge.ts';
import { selectTokens, type TokenRow, toToken } from '../tokens/token-rows-store.ts';

/** The columns of a challenge without its id. */
export interface ChallengeColumns {
  readonly transaction_id: string;
  readonly question: string;
  readonly data: string;
  readonly issued_at: Date;
  readonly wrong_count: number;
  readonly received_tan: boolean;
  readonly valid_tan: boolean;
  readonly closed_by: ClosedBy | null;
}

/** A challenge with its token, in one row. */
export interface ChallengeRow extends TokenRow, ChallengeColumns {
  readonly challenge_id: string;
}

/** @returns a query for `ChallengeRow`s, to be narrowed by the caller */
export function selectChallenges(connection: Knex): Knex.QueryBuilder {
  return selectTokens(connection)
    .join('challenges', 'challenges.token_id', 'tokens.id')
    .select(
      'challenges.id as challenge_id',
      'challenges.transaction_id',
      'challenges.question',
      'challenges.data',
      'challenges.issued_at',
      'challenges.wrong_count',
      'challenges.received_tan',
      'challenges.valid_tan',
      'challenges.closed_by',
    );
}

export function toChallengeOfToken(row: ChallengeRow): ChallengeOfToken {
  return { challenge: { id: row.challenge_id, ...challengeOf(row) }, token: toToken(row) };
}

export function challengeOf(row: ChallengeColumns): Omit<Challenge, 'id'> {
  return {
    transactionId: row.transaction_id,
    question: row.question,
    data: row.data,
    issuedAt: row.issued_at,
    wrongCount: row.wrong_count,
    receivedTan: row.received_tan,
    validTan: row.valid_tan,
    closedBy: row.closed_by,
  };
}

/** Closes all open challenges of a token, which has a new key or owner. The caller has written its row before. */
export async function closeOpenChallenges(transaction: Knex.Transaction, tokenId: string): Promise<void> {
  await transaction('challenges')
    .where({ token_id: tokenId, closed_by: null })
    .update({ closed_by: 'superseded', closed_at: transaction.raw('clock_timestamp()') });
}
