import { auditEntry } from '../audit/rows-store.ts';
import type { NewChallenge } from './challenge.ts';
import { questionKeys } from '../ocra/question.ts';
import type { Act } from '../policy/caller.ts';
import type { Token, TokenChange } from '../tokens/token.ts';
import type { Database } from '../database/database.ts';
import {
  ALL_HELD,
  HELD_COLUMNS,
  HELD_PLACES,
  heldTokens,
  WritingStatement,
} from '../database/writing-statement.ts';
import { freeQuestion, NOT_ASKED_IN_ANOTHER_TEXT } from './asked-questions-store.ts';
import { closeOpenChallenges } from './challenge-rows-store.ts';
import type { Knex } from 'knex';
import { ServiceError } from '../kernel/errors.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { holdReferences } from '../tokens/token-references-store.ts';
import { REALMS_OF_TOKEN, REALMS_OF_TOKEN_NOW, stateColumns } from '../tokens/token-rows-store.ts';
import { SharedWrites } from '../database/shared-writes.ts';

/**
 * The challenge, the older ones that it supersedes, the token and the audit row. The statement does not see the row that
 * it inserts: of the older ones, one less than the limit stay open. While the version holds, it sees all of them, as
 * each write of a challenge is one of its token. A token that was asked the same in another text counts as changed.
 */
const STATEMENT = new WritingStatement({
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
      FROM want WHERE ${ALL_HELD} RETURNING want.place
    ), challenge AS (
      INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, sign_in)
      SELECT want.transaction_id, want.token_id, want.question, want.data, want.issued_at, want.sign_in
      FROM want JOIN token USING (place)
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
  answer: HELD_PLACES,
});

/** Issues challenges for tokens that are as they were read, in statements that requests share. */
export class SharedIssue {
  readonly #writes: SharedWrites;

  constructor(database: Database) {
    this.#writes = new SharedWrites(database, STATEMENT);
  }

  /**
   * @param maxOpen at least 1
   * @returns false, and nothing is stored, if the token has changed since it was read, or is just being changed, or if
   *   the question may be that of another text
   * @throws the unique violation of a transaction id that is in use
   */
  async issue(
    { tokenId, transactionId, question, questions: { suite }, data, issuedAt, signIn }: NewChallenge,
    seen: Token,
    maxOpen: number,
    act: Act,
  ): Promise<boolean> {
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
    return written !== undefined;
  }
}

/** Thrown to roll back: the transaction id is in use. */
class TransactionIdInUse extends Error {}

/** @returns true for the failure of an issue whose transaction id another challenge has */
export function isTransactionIdInUse(error: unknown): boolean {
  return (
    error instanceof TransactionIdInUse ||
    (error as { constraint?: unknown } | null)?.constraint === 'challenges_transaction_id_key'
  );
}

export async function issueAlone(
  { sql, audit }: UnitOfWork,
  challenge: NewChallenge,
  maxOpen: number,
  act: Act,
  change: TokenChange,
): Promise<string> {
  const { tokenId, transactionId, data, issuedAt, signIn = false } = challenge;
  const references = await holdReferences(sql, change);
  // The token's row first: of several transactions that issue or answer for it, one proceeds.
  const [token] = await sql('tokens')
    .where({ id: tokenId, ...required(challenge) })
    .modify((query) => {
      if (challenge.realms !== undefined) {
        void query.whereRaw(`${REALMS_OF_TOKEN_NOW} = ?::text[]`, [[...challenge.realms]]);
      }
    })
    .update({ last_challenge_at: issuedAt, ...stateColumns(change), ...references })
    .returning<{ serial: string; realms: string[] }[]>(['serial', sql.raw(REALMS_OF_TOKEN)]);
  if (token === undefined) {
    throw goneOrChanged(challenge);
  }
  if (change.secrets !== undefined) {
    await closeOpenChallenges(sql, tokenId);
  }
  const question = await freeQuestion(sql, challenge);
  const stored: unknown[] = await sql('challenges')
    .insert({
      transaction_id: transactionId,
      token_id: tokenId,
      question,
      data,
      issued_at: issuedAt,
      sign_in: signIn,
    })
    .onConflict('transaction_id')
    .ignore()
    .returning('id');
  if (stored.length === 0) {
    throw new TransactionIdInUse();
  }
  await supersede(sql, tokenId, signIn, maxOpen);
  await audit.write({ ...act, transaction: transactionId }, token.serial, 'issued', token.realms);
  return question;
}

/**
 * Closes all but the newest `keep` open challenges of a token for ever: of its sign-ins, or of all others. The caller has
 * written the token's row before, in this transaction. Newest by id, not by time: ids are assigned under the token's
 * lock, times by servers whose clocks differ.
 */
async function supersede(
  transaction: Knex.Transaction,
  tokenId: string,
  signIn: boolean,
  keep: number,
): Promise<void> {
  await transaction.raw(
    `UPDATE challenges SET closed_by = 'superseded', closed_at = clock_timestamp()
     WHERE token_id = ? AND closed_by IS NULL AND sign_in = ? AND id <= (
       SELECT id FROM challenges WHERE token_id = ? AND closed_by IS NULL AND sign_in = ?
       ORDER BY id DESC OFFSET ? LIMIT 1)`,
    [tokenId, signIn, tokenId, signIn, keep],
  );
}

/** @returns the values that the token must still have, by column */
function required({ owner, sharedSecret, key }: NewChallenge): Record<string, Knex.Value> {
  return {
    ...(owner !== undefined && { owner_resolver_id: owner.resolverId, owner_user_id: owner.userId }),
    ...(sharedSecret !== undefined && { shared_secret: sharedSecret }),
    ...(key !== undefined && stateColumns({ secrets: key })),
  };
}

function goneOrChanged(challenge: NewChallenge): ServiceError {
  if (challenge.sharedSecret !== undefined) {
    return new ServiceError(
      'token.state',
      'The token has left this roll-out meanwhile, has changed hands or realms, or has been removed',
    );
  }
  return Object.keys(required(challenge)).length > 0
    ? new ServiceError('token.state', 'The token has changed hands or its key meanwhile, or has been removed')
    : new ServiceError('token.unknown', 'The token has been removed');
}
