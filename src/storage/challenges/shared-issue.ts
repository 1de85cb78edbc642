import { auditEntry } from '../../audit/rows-store.ts';
import type { ChallengeOfToken, NewChallenge } from '../../challenges/ports.ts';
import { questionKeys } from '../../ocra/question.ts';
import type { Act } from '../../policy/caller.ts';
import type { Token } from '../../tokens/token.ts';
import type { Database } from '../../database/database.ts';
import {
  ALL_HELD,
  HELD_COLUMNS,
  type HeldRow,
  heldTokens,
  WritingStatement,
} from '../../database/writing-statement.ts';
import { NOT_ASKED_IN_ANOTHER_TEXT } from './asked-questions.ts';
import { SharedWrites } from '../../database/shared-writes.ts';

interface IssuedRow extends HeldRow {
  readonly challenge_id: string;
  readonly version: string;
}

/**
 * The challenge, the older ones that it supersedes, the token and the audit row. The statement does not see the row that
 * it inserts: of the older ones, one less than the limit stay open. While the version holds, it sees all of them, as
 * each write of a challenge is one of its token. A token that was asked the same in another text counts as changed.
 */
const STATEMENT = new WritingStatement<IssuedRow>({
  name: 'issue-challenges',
  columns: {
    ...HELD_COLUMNS,
    transaction_id: 'text',
    question: 'text',
    question_keys: 'text[]',
    has_counter: 'boolean',
    data: 'text',
    issued_at: 'timestamptz',
    sign_in: 'boolean',
    max_open: 'integer',
  },
  numbers: Object.keys(HELD_COLUMNS),
  parts: `${heldTokens('tokens', 'tokens', NOT_ASKED_IN_ANOTHER_TEXT)}, token AS (
      UPDATE tokens SET last_challenge_at = want.issued_at
      FROM want WHERE ${ALL_HELD} RETURNING want.place, tokens.version
    ), challenge AS (
      INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, sign_in)
      SELECT want.transaction_id, want.token_id, want.question, want.data, want.issued_at, want.sign_in
      FROM want JOIN token USING (place) RETURNING id, token_id
    ), superseded AS (
      UPDATE challenges SET closed_by = 'superseded', closed_at = clock_timestamp()
      FROM want JOIN token USING (place)
      WHERE challenges.token_id = want.token_id AND challenges.closed_by IS NULL
        AND challenges.sign_in = want.sign_in AND challenges.id <= (
        SELECT id FROM challenges AS open
        WHERE open.token_id = want.token_id AND open.closed_by IS NULL AND open.sign_in = want.sign_in
        ORDER BY id DESC OFFSET want.max_open - 1 LIMIT 1)
    )`,
  written: 'token',
  answer: `SELECT held.place, (SELECT count(*) FROM audited)::integer AS written, token.version,
      challenge.id AS challenge_id
    FROM held LEFT JOIN token USING (place) LEFT JOIN want USING (place)
      LEFT JOIN challenge ON challenge.token_id = want.token_id`,
});

/** Issues challenges for tokens that are as they were read, in statements that requests share. */
export class SharedIssue {
  readonly #writes: SharedWrites<IssuedRow>;

  constructor(database: Database) {
    this.#writes = new SharedWrites(database, STATEMENT);
  }

  /**
   * @param maxOpen at least 1
   * @returns the challenge with its token, as they are now; undefined, and nothing is stored, if the token has changed
   *   since it was read, or is just being changed, or if the question may be that of another text
   * @throws the unique violation of a transaction id that is in use
   */
  async issue(
    { tokenId, transactionId, question, questions: { suite }, data, issuedAt, signIn }: NewChallenge,
    seen: Token,
    maxOpen: number,
    act: Act,
  ): Promise<ChallengeOfToken | undefined> {
    const written = await this.#writes.do({
      key: tokenId,
      entry: auditEntry({ ...act, transaction: transactionId }, seen.serial, 'issued', seen.realms),
      columns: {
        token_id: tokenId,
        version: seen.version,
        transaction_id: transactionId,
        question,
        question_keys: questionKeys(suite, question),
        has_counter: suite.counter,
        data,
        issued_at: issuedAt,
        sign_in: signIn === true,
        max_open: maxOpen,
      },
    });
    return (
      written && {
        challenge: {
          id: written.challenge_id,
          transactionId,
          question,
          data,
          issuedAt,
          wrongCount: 0,
          receivedTan: false,
          validTan: false,
          closedBy: null,
        },
        token: { ...seen, version: written.version },
      }
    );
  }
}
