import type { Knex } from 'knex';

import type { ChallengeOfToken, NewChallenge } from './challenge.ts';
import { ServiceError } from '../kernel/errors.ts';
import { plainQuestion, questionKeys } from '../ocra/question.ts';
import { type OcraSuite, parseOcraSuite } from '../ocra/suite.ts';

type Asked = Pick<NewChallenge, 'tokenId' | 'question' | 'questions' | 'data'>;

/**
 * The expression of the index challenges_question_idx, for the token and the key of a question. A hash: the index is a
 * quarter as large. The few questions with a hash in common are told apart afterwards.
 */
const HASH = `hashtextextended(lower(btrim(asked.question, '0') COLLATE "C"), asked.token_id)`;

/** @returns the value of `HASH` for one of `questionKeys`, as SQL */
function hashOf(key: string, tokenId: string): string {
  return `hashtextextended(${key} COLLATE "C", ${tokenId})`;
}

/**
 * The condition that no challenge of the token of `want` has another text and, up to the few that have only a hash in
 * common, the same question. A counter moves past an accepted response: the same digits may then ask for another one.
 * Counted behind OFFSET, key by key: for EXISTS or for all keys at once, the planner reads the whole table while it is
 * young. The keys are selected: where the planner sees how few they are, a plan for any values looks dearer to it, and it
 * plans each statement anew.
 */
export const NOT_ASKED_IN_ANOTHER_TEXT = `(
        SELECT count(*) FROM unnest((SELECT want.question_keys)) AS key CROSS JOIN LATERAL (
          SELECT FROM challenges AS asked
          WHERE ${HASH} = ${hashOf('key', 'want.token_id')}
            AND asked.data <> want.data AND NOT (want.has_counter AND asked.valid_tan)
          OFFSET 0
        ) AS found
      ) = 0`;

/** Drawn at once, and looked up at once: more are in use only where hardly any is free. */
const DRAWN = 16;

/** The most that are looked up at once. */
const BATCH = 1_024;

/**
 * @param transaction holds the token's lock since an earlier statement: no other challenge of it is issued meanwhile
 * @returns the question of a new challenge, or another one where that is in use for another text
 * @throws ServiceError 'challenge.no-question'
 */
export async function freeQuestion(transaction: Knex.Transaction, challenge: Asked): Promise<string> {
  const { suite } = challenge.questions;
  for (const candidates of candidatesOf(challenge)) {
    const used = await askedInAnotherText(transaction, challenge, candidates);
    const free = candidates.find((one) => !used.has(plainQuestion(suite, one)));
    if (free !== undefined) {
      return free;
    }
  }
  throw new ServiceError(
    'challenge.no-question',
    'No question is free for this text: each one that the token could be asked stands for another text. Name a longer text, or one with other letters and digits',
  );
}

/** @returns the questions in the order in which they are taken, in the numbers in which they are looked up */
function* candidatesOf({ question, questions }: Asked): Generator<readonly string[], void> {
  yield [question];
  yield questions.drawOthers(DRAWN);
  let batch: string[] = [];
  for (const one of questions.others()) {
    batch.push(one);
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  yield batch;
}

/** @returns those of `questions`, as plain questions, that challenges of the token with other texts have */
async function askedInAnotherText(
  transaction: Knex.Transaction,
  { tokenId, questions: { suite }, data }: Asked,
  questions: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await selectAsked(transaction, tokenId, suite, questions)
    .whereNot({ 'asked.data': data })
    .modify((query) => {
      if (suite.counter) {
        void query.where({ 'asked.valid_tan': false });
      }
    })
    .distinct<{ question: string }[]>('asked.question');
  return new Set(rows.map((row) => plainQuestion(suite, row.question)));
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
function selectAsked(
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
