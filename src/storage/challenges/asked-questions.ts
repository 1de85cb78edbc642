import type { Knex } from 'knex';

import type { NewChallenge } from '../../challenges/ports.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { plainQuestion, questionKeys } from '../../ocra/question.ts';

type Asked = Pick<NewChallenge, 'tokenId' | 'question' | 'questions' | 'data'>;

/** The expression of the index challenges_question_idx, whose values `questionKeys` names. */
const KEY = `"left"(lower(btrim(asked.question, '0') COLLATE "C"), 64)`;

/**
 * Finds challenges of the token of `want` with another text and, up to the few that have only a key in common, the same
 * question. A counter moves past an accepted response: the same digits may then ask for another one.
 */
export const ASKED_IN_ANOTHER_TEXT = `SELECT FROM challenges AS asked
      WHERE asked.token_id = want.token_id AND ${KEY} = ANY (want.question_keys)
        AND asked.data <> want.data AND NOT (want.has_counter AND asked.valid_tan)`;

/** Drawn at once, and looked up at once: more are in use only where hardly any is free. */
const DRAWN = 16;

/**
 * @param transaction holds the token's lock since an earlier statement: no other challenge of it is issued meanwhile
 * @returns the question of a new challenge, or another one where that is in use for another text
 * @throws ServiceError 'challenge.no-question'
 */
export async function freeQuestion(transaction: Knex.Transaction, challenge: Asked): Promise<string> {
  const { question, questions } = challenge;
  const plain = (one: string): string => plainQuestion(questions.suite, one);
  for (const drawn of [() => [question], () => questions.drawOthers(DRAWN)]) {
    const candidates = drawn();
    const used = await askedInAnotherText(transaction, challenge, candidates);
    const free = candidates.find((one) => !used.has(plain(one)));
    if (free !== undefined) {
      return free;
    }
  }
  const used = await askedInAnotherText(transaction, challenge);
  const free = questions.findFree((one) => used.has(plain(one)));
  if (free === undefined) {
    throw new ServiceError(
      'challenge.no-question',
      'No question is free for this text: each one that the token could be asked stands for another text. Name a longer text, or one with other letters and digits',
    );
  }
  return free;
}

/**
 * @param among only those with a key of these; undefined: all
 * @returns the plain questions of the token's challenges with other texts
 */
async function askedInAnotherText(
  transaction: Knex.Transaction,
  { tokenId, questions: { suite }, data }: Asked,
  among?: readonly string[],
): Promise<ReadonlySet<string>> {
  const keys = among?.flatMap((one) => questionKeys(suite, one));
  const rows = await transaction('challenges as asked')
    .where({ 'asked.token_id': tokenId })
    .whereNot({ 'asked.data': data })
    .modify((query) => {
      if (keys !== undefined) {
        void query.whereRaw(`${KEY} = ANY (?::text[])`, [keys]);
      }
      if (suite.counter) {
        void query.where({ 'asked.valid_tan': false });
      }
    })
    .distinct<{ question: string }[]>('asked.question');
  return new Set(rows.map((row) => plainQuestion(suite, row.question)));
}
