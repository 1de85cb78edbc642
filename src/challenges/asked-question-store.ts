import type { Knex } from 'knex';
import { plainQuestion, questionKeys } from '../ocra/question.ts';
import { type OcraSuite, parseOcraSuite } from '../ocra/suite.ts';
import type { ChallengeOfToken } from './challenge.ts';

/**
 * The expression of the index challenges_question_idx, for the token and the key of a question. A hash: the index is a
 * quarter as large. The few questions with a hash in common are told apart afterwards.
 */
export const HASH = `hashtextextended(lower(btrim(asked.question, '0') COLLATE "C"), asked.token_id)`;

/** @returns the value of `HASH` for one of `questionKeys`, as SQL */
export function hashOf(key: string, tokenId: string): string {
  return `hashtextextended(${key} COLLATE "C", ${tokenId})`;
}

/** @returns true if a challenge of the token with another text and the same question was accepted */
export async function isConfirmedInAnotherText(
  transaction: Knex.Transaction,
  { challenge: { question, data }, token: { id, ocraSuite } }: ChallengeOfToken,
): Promise<boolean> {
  const suite = parseOcraSuite(ocraSuite ?? '');
  const rows = await selectAsked(transaction, id, suite, [question])
    .where({ 'asked.valid_tan': true })
    .whereNot({ 'asked.data': data })
    .distinct<{ question: string }[]>('asked.question');
  const plain = plainQuestion(suite, question);
  return rows.some((row) => plainQuestion(suite, row.question) === plain);
}

/** @returns a query for the challenges of a token that may have one of these questions, and for few others */
export function selectAsked(
  transaction: Knex.Transaction,
  tokenId: string,
  suite: OcraSuite,
  questions: readonly string[],
): Knex.QueryBuilder {
  const keys = questions.flatMap((one) => questionKeys(suite, one));
  return transaction('challenges as asked').whereRaw(
    `${HASH} = ANY (ARRAY(SELECT ${hashOf('key', '?::bigint')} FROM unnest(?::text[]) AS key))`,
    [tokenId, keys],
  );
}
