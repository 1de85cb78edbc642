import type { Knex } from 'knex';

import type { ChallengeOfToken, NewChallenge } from '../../challenges/ports.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { plainQuestion, questionKeys } from '../../ocra/question.ts';
import { type OcraSuite, parseOcraSuite } from '../../ocra/suite.ts';

type Asked = Pick<NewChallenge, 'tokenId' | 'question' | 'questions' | 'data'>;

/** The expression of the index challenges_question_idx, which `keysOf` names. */
const KEY = `(asked.token_id::text || ' ' || "left"(lower(btrim(asked.question, '0') COLLATE "C"), 64))`;

/**
 * Finds challenges of the token of `want` with another text and, up to the few that have only a key in common, the same
 * question. A counter moves past an accepted response: the same digits may then ask for another one.
 */
export const ASKED_IN_ANOTHER_TEXT = `SELECT FROM challenges AS asked
      WHERE ${KEY} = ANY (want.question_keys)
        AND asked.data <> want.data AND NOT (want.has_counter AND asked.valid_tan)`;

/** Drawn at once, and looked up at once: more are in use only where hardly any is free. */
const DRAWN = 16;

/** The most that are looked up at once. */
const BATCH = 1_024;

/** @returns the keys of a token's question in the index */
export function keysOf(tokenId: string, suite: OcraSuite, question: string): readonly string[] {
  return questionKeys(suite, question).map((key) => `${tokenId} ${key}`);
}

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
  const keys = questions.flatMap((one) => keysOf(tokenId, suite, one));
  const rows = await transaction('challenges as asked')
    .whereRaw(`${KEY} = ANY (?::text[])`, [keys])
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
  const rows = await transaction('challenges as asked')
    .whereRaw(`${KEY} = ANY (?::text[])`, [[...keysOf(id, suite, question)]])
    .where({ 'asked.valid_tan': true })
    .whereNot({ 'asked.data': data })
    .distinct<{ question: string }[]>('asked.question');
  const plain = plainQuestion(suite, question);
  return rows.some((row) => plainQuestion(suite, row.question) === plain);
}
