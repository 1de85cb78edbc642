import type { Knex } from 'knex';
import { auditEntry } from '../audit/rows-store.ts';
import type { Database } from '../database/database.ts';
import { preparedWithin } from '../database/prepared-statements.ts';
import { SharedWrites } from '../database/shared-writes.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { type ColumnValues, WritingStatement } from '../database/writing-statement.ts';
import { ServiceError } from '../kernel/errors.ts';
import { questionKeys } from '../ocra/question.ts';
import type { Sealed } from '../keys/vault.ts';
import type { Act } from '../policy/caller.ts';
import { withLockedTokens } from '../tokens/token-locks-store.ts';
import { holdReferences } from '../tokens/token-references-store.ts';
import { selectTokens, stateColumns, type TokenRow, toToken } from '../tokens/token-rows-store.ts';
import type { Token, TokenChange } from '../tokens/token.ts';
import type { NotedEntry } from '../webhooks/webhook-event.ts';
import { freeQuestion, NOT_ASKED_IN_ANOTHER_TEXT } from './asked-questions-store.ts';
import { closeOpenChallenges } from './challenge-rows-store.ts';
import type { NewChallenge } from './challenge.ts';

/**
 * The challenge, the older ones that it supersedes, the token and the audit row. The statement does not see the row that
 * it inserts: of the older ones, one less than the limit stay open. While the version holds, it sees all of them, as
 * each write of a challenge is one of its token. A token that was asked the same in another text counts as changed.
 * Newest by id, not by time: ids are assigned under the token's lock, times by servers whose clocks differ.
 */
const STATEMENT = new WritingStatement({
  name: 'issue-challenges',
  columns: {
    token_id: 'bigint',
    version: 'bigint',
    transaction_id: 'text',
    question: 'text',
    question_keys: 'text[]',
    has_counter: 'boolean',
    is_free: 'boolean',
    data: 'text',
    issued_at: 'timestamptz',
    sign_in: 'boolean',
    max_open: 'integer',
  },
  numbers: ['token_id', 'version'],
  parts: `held AS MATERIALIZED (
      SELECT want.place FROM want CROSS JOIN LATERAL (
        SELECT FROM tokens
        WHERE tokens.id = want.token_id AND tokens.version = want.version
          AND (want.is_free OR ${NOT_ASKED_IN_ANOTHER_TEXT})
        FOR NO KEY UPDATE OF tokens SKIP LOCKED
      ) AS token
    ), token AS (
      UPDATE tokens SET last_challenge_at = want.issued_at
      FROM want
      WHERE tokens.id = want.token_id AND tokens.version = want.version
        AND (SELECT count(*) FROM held) = (SELECT count(*) FROM want)
      RETURNING want.place
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
  answer: 'SELECT place, (SELECT count(*) FROM audited)::integer AS written FROM held',
});

/** Issues challenges for tokens that are as they were read, in statements that requests share. */
export class Issues {
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
  async issue(challenge: NewChallenge, seen: Token, maxOpen: number, act: Act): Promise<boolean> {
    const columns = { ...columnsOf(challenge, maxOpen), version: seen.version, is_free: false };
    const written = await this.#writes.do({ key: seen.id, entry: entryOf(act, challenge, seen), columns });
    return written !== undefined;
  }
}

/**
 * As `issue`, by the same statement under the token's lock: with a change of the token, and another question where that
 * of the challenge is one of another text.
 * @returns the question
 * @throws ServiceError 'token.unknown', 'token.state', 'challenge.no-question'; the unique violation
 */
export async function issueLocked(
  { sql, audit }: UnitOfWork,
  challenge: NewChallenge,
  maxOpen: number,
  act: Act,
  change: TokenChange,
): Promise<string> {
  const { tokenId } = challenge;
  const references = await holdReferences(sql, change);
  return withLockedTokens(sql, { ids: [tokenId] }, async () => {
    if (!isAsRequired(challenge, await findToken(sql, tokenId))) {
      throw goneOrChanged(challenge);
    }
    const changes = { ...stateColumns(change), ...references };
    if (Object.keys(changes).length > 0) {
      await sql('tokens').where({ id: tokenId }).update(changes);
    }
    if (change.secrets !== undefined) {
      await closeOpenChallenges(sql, tokenId);
    }
    const token = await findToken(sql, tokenId);
    if (token === undefined) {
      throw goneOrChanged(challenge);
    }
    const question = await freeQuestion(sql, challenge);
    const columns = {
      ...columnsOf({ ...challenge, question }, maxOpen),
      version: token.version,
      is_free: true,
    };
    const isIssued = await audit.writeBy([entryOf(act, challenge, token)], async (signed, _on, events) => {
      const rows = signed.map((row) => ({ columns, audit: row }));
      const [issued] = await STATEMENT.run(preparedWithin(sql), rows, events);
      return issued?.written === 1;
    });
    if (!isIssued) {
      throw new ServiceError('internal', 'The challenge could not be issued', {
        detail: `token ${tokenId} changed while it was locked`,
      });
    }
    return question;
  });
}

/** @returns true for the failure of an issue whose transaction id another challenge has */
export function isTransactionIdInUse(error: unknown): boolean {
  return (error as { constraint?: unknown } | null)?.constraint === 'challenges_transaction_id_key';
}

function entryOf(act: Act, { transactionId }: NewChallenge, { serial, realms }: Token): NotedEntry {
  return auditEntry({ ...act, transaction: transactionId }, serial, 'issued', realms);
}

function columnsOf(
  { tokenId, transactionId, question, questions: { suite }, data, issuedAt, signIn }: NewChallenge,
  maxOpen: number,
): ColumnValues {
  return {
    token_id: tokenId,
    transaction_id: transactionId,
    question,
    question_keys: questionKeys(suite, question),
    has_counter: suite.counter,
    data,
    issued_at: issuedAt,
    sign_in: signIn === true,
    max_open: maxOpen,
  };
}

async function findToken(transaction: Knex.Transaction, id: string): Promise<Token | undefined> {
  const row = (await selectTokens(transaction).where('tokens.id', id).first()) as TokenRow | undefined;
  return row && toToken(row);
}

/** @returns true if the token is there and has what the challenge requires of it */
function isAsRequired({ owner, realms, sharedSecret, key }: NewChallenge, token: Token | undefined): boolean {
  if (token === undefined) {
    return false;
  }
  const { secrets } = token;
  return [
    owner === undefined ||
      (token.owner?.resolverId === owner.resolverId && token.owner.userId === owner.userId),
    realms === undefined || JSON.stringify(token.realms) === JSON.stringify(realms),
    sharedSecret === undefined || isSame(secrets.sharedSecret, sharedSecret),
    key === undefined || isSame(secrets.seed, key.seed),
    key?.sharedSecret === undefined || isSame(secrets.sharedSecret, key.sharedSecret),
  ].every(Boolean);
}

function isSame(one: Sealed | null, other: Sealed | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

function goneOrChanged(challenge: NewChallenge): ServiceError {
  if (challenge.sharedSecret !== undefined) {
    return new ServiceError(
      'token.state',
      'The token has left this roll-out meanwhile, has changed hands or realms, or has been removed',
    );
  }
  return challenge.owner !== undefined || challenge.key !== undefined
    ? new ServiceError('token.state', 'The token has changed hands or its key meanwhile, or has been removed')
    : new ServiceError('token.unknown', 'The token has been removed');
}
