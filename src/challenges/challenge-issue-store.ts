import type { Knex } from 'knex';
import { AUDIT_FIELDS, auditEntry, auditParts } from '../audit/rows-store.ts';
import type { Database } from '../database/database.ts';
import {
  type ColumnValues,
  type LockedRow,
  SharedWrites,
  writeLocked,
  type WritingStatement,
} from '../database/shared-statements.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import { assertStorable } from '../kernel/text.ts';
import type { Sealed } from '../keys/vault.ts';
import { plainQuestion, questionKeys } from '../ocra/question.ts';
import type { Act } from '../policy/caller.ts';
import {
  closeOpenChallenges,
  findToken,
  holdReferences,
  revisionColumns,
  stateColumns,
  withLockedTokens,
} from '../tokens/token-rows-store.ts';
import {
  assertNoFactor,
  isLocked,
  isUsable,
  type Token,
  type TokenChange,
  isOwnedBy,
} from '../tokens/token.ts';
import type { NotedEntry } from '../webhooks/webhook-event.ts';
import { HASH, hashOf, selectAsked } from './challenge-store.ts';
import type { ChallengeMetrics } from './challenge-metrics.ts';
import type { NewChallenge } from './challenge.ts';
import type { IssuedChallenges } from './issued-challenges.ts';

type Asked = Pick<NewChallenge, 'tokenId' | 'question' | 'questions' | 'data'>;

/**
 * The condition that no challenge of the token of `request` has another text and, up to the few that have only a hash in
 * common, the same question. A counter moves past an accepted response: the same digits may then ask for another one.
 * Counted behind OFFSET, key by key: for EXISTS or for all keys at once, the planner reads the whole table while it is
 * young.
 */
const NOT_ASKED_IN_ANOTHER_TEXT = `(
        SELECT count(*) FROM unnest(request.question_keys) AS key CROSS JOIN LATERAL (
          SELECT FROM challenges AS asked
          WHERE ${HASH} = ${hashOf('key', 'request.token_id')}
            AND asked.data <> request.data AND NOT (request.has_counter AND asked.valid_tan)
          OFFSET 0
        ) AS found
      ) = 0`;

const UNANSWERED = { wrongCount: 0, receivedTan: false, validTan: false, closedBy: null } as const;

/**
 * Challenges of sign-ins, those to PINs and others do not supersede each other: who knows a PIN closes no
 * challenge of a portal.
 */
function kindOf(table: string): string {
  return `(${table}.sign_in, ${table}.is_triggered)`;
}

/** The id of the challenge, and the version that the issue has given the token. */
interface IssuedRow extends LockedRow {
  readonly id: string;
  readonly version: string;
}

/**
 * The challenge, the older ones that it supersedes, the token and the audit row. The statement does not see the row that
 * it inserts: of the older ones, one less than the limit stay open. While the version holds, it sees all of them, as
 * each write of a challenge is one of its token. A token that was asked the same in another text counts as changed.
 * Newest by id, not by time: ids are assigned under the token's lock, times by servers whose clocks differ.
 */
const ISSUE: WritingStatement<IssuedRow> = {
  name: 'issue-challenges',
  text: `WITH request AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1::json) AS request(place integer, token_id bigint, version bigint,
        transaction_id text, question text, question_keys text[], has_counter boolean, is_free boolean, data text,
        issued_at timestamptz, open_until timestamptz, is_triggered boolean, sign_in boolean, max_open integer,
        ${AUDIT_FIELDS})
      WHERE place >= 0 AND token_id > 0 AND version > 0
    ), locked AS MATERIALIZED (
      SELECT request.place FROM request CROSS JOIN LATERAL (
        SELECT FROM tokens
        WHERE tokens.id = request.token_id AND tokens.version = request.version
          AND (request.is_free OR ${NOT_ASKED_IN_ANOTHER_TEXT})
        FOR NO KEY UPDATE OF tokens SKIP LOCKED
      ) AS token
    ), token AS (
      UPDATE tokens SET last_challenge_at = request.issued_at
      FROM request
      WHERE tokens.id = request.token_id AND tokens.version = request.version
        AND (SELECT count(*) FROM locked) = (SELECT count(*) FROM request)
      RETURNING request.place, tokens.version
    ), challenge AS (
      INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, open_until, is_triggered, sign_in)
      SELECT request.transaction_id, request.token_id, request.question, request.data, request.issued_at,
        request.open_until, request.is_triggered, request.sign_in
      FROM request JOIN token USING (place)
      RETURNING id, token_id
    ), superseded AS (
      UPDATE challenges SET closed_by = 'superseded', closed_at = clock_timestamp()
      FROM request JOIN token USING (place)
      WHERE challenges.token_id = request.token_id AND challenges.closed_by IS NULL
        AND ${kindOf('challenges')} = ${kindOf('request')} AND challenges.id <= (
        SELECT id FROM challenges AS open
        WHERE open.token_id = request.token_id AND open.closed_by IS NULL AND ${kindOf('open')} = ${kindOf('request')}
        ORDER BY id DESC OFFSET request.max_open - 1 LIMIT 1)
    ), ${auditParts('token', '$2')}
    SELECT place, token.version, challenge.id, (SELECT count(*) FROM audited)::integer AS written
    FROM locked JOIN request USING (place) LEFT JOIN token USING (place)
      LEFT JOIN challenge ON challenge.token_id = request.token_id`,
};

export class ChallengeIssueStore {
  readonly #database: Database;
  readonly #metrics: ChallengeMetrics | undefined;
  readonly #issues: SharedWrites<IssuedRow>;
  readonly #issued: IssuedChallenges | undefined;

  constructor({
    database,
    metrics,
    issued,
  }: {
    database: Database;
    metrics?: ChallengeMetrics | undefined;
    issued?: IssuedChallenges;
  }) {
    this.#database = database;
    this.#metrics = metrics;
    this.#issued = issued;
    this.#issues = new SharedWrites(database, ISSUE);
  }

  /**
   * Stores a challenge and closes the token's oldest open ones beyond `maxOpen`, in one transaction; those of sign-ins
   * and others are counted apart. No response to one text confirms another: where the question is that of a stored
   * challenge of the token with another text, another one takes its place. Challenges that were accepted count for
   * suites without a counter only: with one, the responses that were made for them before are behind the counter, and
   * `ChallengeStore.answer` refuses them. One that the app made again afterwards is not told apart (SECURITY.md, Limits).
   * @param change a simultaneous change of the token (roll-out phase 2); one of its key closes all others
   * @returns the question; undefined when the transaction id is in use, and nothing was stored
   * @throws ServiceError 'token.unknown' when the token no longer exists, 'token.state' when its owner, secret or
   *   realms may no longer be the required ones, 'challenge.no-question' where no question is free
   */
  async issue(
    challenge: NewChallenge,
    maxOpen: number,
    act: Act,
    change: TokenChange = {},
  ): Promise<string | undefined> {
    assertStorable(challenge.transactionId, challenge.question, challenge.data);
    try {
      const question = await this.#issue(challenge, maxOpen, act, change);
      this.#metrics?.challengeIssued();
      return question;
    } catch (error) {
      if (isTransactionIdInUse(error)) {
        return undefined;
      }
      throw error;
    }
  }

  /** @returns the number of challenges that PINs have had issued to a token since then */
  async countTriggered(tokenId: string, since: Date): Promise<number> {
    const { rows } = await this.#database.knex.raw<{ rows: { number: number }[] }>(
      `SELECT count(*)::integer AS number FROM challenges
        WHERE token_id = ?::bigint AND issued_at > ? AND is_triggered`,
      [tokenId, since],
    );
    return rows[0]?.number ?? 0;
  }

  async #issue(challenge: NewChallenge, maxOpen: number, act: Act, change: TokenChange): Promise<string> {
    const { seen } = challenge;
    const isShared = seen !== undefined && Object.keys(change).length === 0;
    return isShared && (await this.#issueShared(challenge, seen, maxOpen, act))
      ? challenge.question
      : this.#database.transact((unit) => issueLocked(unit, challenge, maxOpen, act, change));
  }

  /**
   * Issues a challenge for a token that is as it was read, in a statement that requests share.
   * @returns false, and nothing is stored, if the token has changed since it was read, or is just being changed, or if
   *   the question may be that of another text
   * @throws the unique violation of a transaction id that is in use
   */
  async #issueShared(challenge: NewChallenge, seen: Token, maxOpen: number, act: Act): Promise<boolean> {
    const columns = columnsOf(challenge, maxOpen, seen.version, false);
    const entry = entryOf(act, challenge, seen);
    const row = await this.#issues.do({ key: seen.id, entry, columns });
    if (row !== undefined && challenge.revision !== undefined) {
      const { id, version } = row;
      const { transactionId, question, data, issuedAt, expiresAt, isTriggered, signIn } = challenge;
      const stored = {
        id,
        transactionId,
        question,
        data,
        issuedAt,
        expiresAt,
        isTriggered,
        signIn,
        ...UNANSWERED,
      };
      this.#issued?.remember(challenge.revision, { challenge: stored, token: { ...seen, version } });
    }
    return row !== undefined;
  }
}

/**
 * As `ChallengeIssueStore.issue`, by the same statement under the token's lock: with a change of the token, and another question where that
 * of the challenge is one of another text.
 * @returns the question
 * @throws ServiceError 'token.unknown', 'token.state', 'challenge.no-question'; the unique violation
 */
async function issueLocked(
  unit: UnitOfWork,
  challenge: NewChallenge,
  maxOpen: number,
  act: Act,
  change: TokenChange,
): Promise<string> {
  const { sql } = unit;
  const { tokenId } = challenge;
  const references = await holdReferences(sql, change);
  return withLockedTokens(sql, { ids: [tokenId] }, async () => {
    const before = await findToken(sql, { id: tokenId });
    if (!isAsRequired(challenge, before)) {
      throw goneOrChanged(challenge);
    }
    if (before !== undefined && change.secrets !== undefined) {
      assertNoFactor(before, false);
    }
    const changes = { ...stateColumns(change), ...references };
    if (Object.keys(changes).length > 0) {
      await sql('tokens')
        .where({ id: tokenId })
        .update({ ...changes, ...revisionColumns(sql, act) });
    }
    if (change.secrets !== undefined) {
      await closeOpenChallenges(sql, tokenId);
    }
    const token = await findToken(sql, { id: tokenId });
    if (token === undefined) {
      throw goneOrChanged(challenge);
    }
    const question = await freeQuestion(sql, challenge);
    const columns = columnsOf({ ...challenge, question }, maxOpen, token.version, true);
    if (!(await writeLocked(unit, ISSUE, { columns, entry: entryOf(act, challenge, token) }))) {
      throw new ServiceError('internal', 'The challenge could not be issued', {
        detail: `token ${tokenId} changed while it was locked`,
      });
    }
    return question;
  });
}

/** @returns true for the failure of an issue whose transaction id another challenge has */
function isTransactionIdInUse(error: unknown): boolean {
  return (error as { constraint?: unknown } | null)?.constraint === 'challenges_transaction_id_key';
}

function entryOf(act: Act, { transactionId }: NewChallenge, { serial, realms }: Token): NotedEntry {
  return auditEntry({ ...act, transaction: transactionId }, serial, 'issued', realms);
}

function columnsOf(
  challenge: NewChallenge,
  maxOpen: number,
  version: Token['version'],
  isFree: boolean,
): ColumnValues {
  const { tokenId, transactionId, question, data, issuedAt, expiresAt, isTriggered, signIn } = challenge;
  const { suite } = challenge.questions;
  return {
    token_id: tokenId,
    version,
    transaction_id: transactionId,
    question,
    question_keys: questionKeys(suite, question),
    has_counter: suite.counter,
    is_free: isFree,
    data,
    issued_at: issuedAt,
    open_until: expiresAt,
    is_triggered: isTriggered === true,
    sign_in: signIn === true,
    max_open: maxOpen,
  };
}

/** @returns true if the token is there and has what the challenge requires of it */
function isAsRequired(challenge: NewChallenge, token: Token | undefined): boolean {
  if (token === undefined) {
    return false;
  }
  const { owner, realms, sharedSecret, key } = challenge;
  const { secrets } = token;
  return [
    owner === undefined || isOwnedBy(token, owner),
    realms === undefined || JSON.stringify(token.realms) === JSON.stringify(realms),
    sharedSecret === undefined || (isSame(secrets.sharedSecret, sharedSecret) && token.lostAt === null),
    key === undefined || isSame(secrets.seed, key.seed),
    mayTrigger(token, challenge),
    key?.sharedSecret === undefined || isSame(secrets.sharedSecret, key.sharedSecret),
  ].every(Boolean);
}

function mayTrigger(token: Token, { pin, issuedAt }: NewChallenge): boolean {
  return (
    pin === undefined || (isSame(token.secrets.pin, pin) && isUsable(token, issuedAt) && !isLocked(token))
  );
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

/** Drawn at once, and looked up at once: more are in use only where hardly any is free. */
const DRAWN = 16;

/** The most that are looked up at once. */
const BATCH = 1_024;

/**
 * @param transaction holds the token's lock since an earlier statement: no other challenge of it is issued meanwhile
 * @returns the question of a new challenge, or another one where that is in use for another text
 * @throws ServiceError 'challenge.no-question'
 */
async function freeQuestion(transaction: Knex.Transaction, challenge: Asked): Promise<string> {
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
