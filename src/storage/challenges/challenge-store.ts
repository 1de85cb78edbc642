import type { Knex } from 'knex';

import type { Act } from '../../policy/caller.ts';
import { OCRA_TYPES, type Token, type TokenChange } from '../../tokens/token.ts';
import { isServiceError, ServiceError } from '../../kernel/errors.ts';
import type { Decision } from '../../challenges/challenge.ts';
import type {
  ChallengeFilter,
  ChallengeOfToken,
  ChallengeStore,
  NewChallenge,
  OpenDecision,
  TokenOrOwner,
} from '../../challenges/ports.ts';
import { type ChallengeRow, selectChallenges, toChallengeOfToken } from './challenge-rows.ts';
import type { Database } from '../../database/database.ts';
import { decisionEntry } from './decision-entry.ts';
import type { UnitOfWork } from '../../database/unit-of-work.ts';
import { freeQuestion, isConfirmedInAnotherText } from './asked-questions.ts';
import { IssuedChallenges } from './issued-challenges.ts';
import { settle } from './settlement.ts';
import { SharedIssue } from './shared-issue.ts';
import { SharedLookup } from '../../database/shared-lookup.ts';
import { SharedSettlement } from './shared-settlement.ts';
import { assertStorable, isRowId, isStorable } from '../../database/stored-text.ts';
import { withLockedTokens } from '../../tokens/token-locks-store.ts';
import { holdReferences } from '../../tokens/token-references-store.ts';
import { REALMS_OF_TOKEN, REALMS_OF_TOKEN_NOW, stateColumns } from '../../tokens/token-rows-store.ts';
import { KeyedQueue } from '../../database/keyed-queue.ts';

type Decide = Parameters<ChallengeStore['answer']>[1];
type MayRemember = (token: Token) => boolean;
type DecideAmong = Parameters<ChallengeStore['answerOpen']>[1];

/** The most second passes that hold a connection at once; the rest of the pool is for the decisions. */
const SECOND_PASSES = 4n;

/** The most challenges that one response may answer. */
const MAX_OPEN = 1_000;

/** Thrown to roll back: the transaction id is in use. */
class TransactionIdInUse extends Error {}

/** Challenges in PostgreSQL. docs/adr/0003-accepting-a-response-once.md describes why each is answered once. */
export class SqlChallengeStore implements ChallengeStore {
  readonly #database: Database;
  readonly #answers = new KeyedQueue();
  readonly #openAnswers = new KeyedQueue();
  readonly #secondPasses = new KeyedQueue();
  readonly #byTransaction: SharedLookup<ChallengeRow>;
  readonly #settlement: SharedSettlement;
  readonly #issues: SharedIssue;
  readonly #issued: IssuedChallenges;

  constructor({ database }: { database: Database }) {
    this.#database = database;
    const byTransaction = selectChallenges(database.knex).whereRaw(
      'challenges.transaction_id = requested.key',
    );
    this.#byTransaction = new SharedLookup(database, 'find-transactions', byTransaction);
    this.#settlement = new SharedSettlement(database);
    this.#issues = new SharedIssue(database);
    this.#issued = new IssuedChallenges(() => performance.now());
  }

  async issue(
    challenge: NewChallenge,
    maxOpen: number,
    act: Act,
    change: TokenChange = {},
  ): Promise<string | undefined> {
    assertStorable(challenge.transactionId, challenge.question, challenge.data);
    const { seen } = challenge;
    try {
      const isShared = seen !== undefined && maxOpen >= 1 && Object.keys(change).length === 0;
      const issued = isShared ? await this.#issues.issue(challenge, seen, maxOpen, act) : undefined;
      if (issued === undefined) {
        this.#issued.forget(challenge.tokenId);
        return await this.#database.transact((unit) => issue(unit, challenge, maxOpen, act, change));
      }
      this.#issued.keep(issued);
      return issued.challenge.question;
    } catch (error) {
      if (error instanceof TransactionIdInUse || isTransactionIdInUse(error)) {
        return undefined;
      }
      throw error;
    }
  }

  async answer(
    transactionId: string,
    decide: Decide,
    act: Act,
    mayRemember: MayRemember = () => true,
  ): Promise<Decision | undefined> {
    return isStorable(transactionId)
      ? this.#answers.run(
          transactionId,
          async () =>
            (await this.#answerIssued(transactionId, decide, act, mayRemember)) ??
            (await this.#answerRead(transactionId, decide, act)),
        )
      : undefined;
  }

  async find(filter: ChallengeFilter): Promise<readonly ChallengeOfToken[]> {
    return isFindable(filter) ? findChallenges(this.#database.knex, filter) : [];
  }

  async answerOpen(
    tokenOrOwner: TokenOrOwner,
    decide: DecideAmong,
    act: Act,
  ): Promise<OpenDecision | undefined> {
    return isFindable(tokenOrOwner)
      ? this.#openAnswers.run(JSON.stringify(tokenOrOwner), () => this.#answerOpen(tokenOrOwner, decide, act))
      : undefined;
  }

  /**
   * Decides on a challenge that this server has issued lately, as it was then. The statement that settles it finds out
   * whether it still is.
   * @returns undefined, and nothing is stored, where there is none, nothing would change, it has changed meanwhile, or
   *   a ServiceError kept it from a decision: of a changed token, it may not even be needed
   */
  async #answerIssued(
    transactionId: string,
    decide: Decide,
    act: Act,
    mayRemember: MayRemember,
  ): Promise<Decision | undefined> {
    const seen = this.#issued.consume(transactionId);
    if (seen === undefined || !mayRemember(seen.token)) {
      return undefined;
    }
    const decision = await decide(seen, false).catch((error: unknown) => {
      if (!isServiceError(error)) {
        throw error;
      }
    });
    return decision?.change && (await this.#apply(seen, decision, act)) ? decision : undefined;
  }

  /** @returns undefined where there is no such challenge */
  async #answerRead(transactionId: string, decide: Decide, act: Act): Promise<Decision | undefined> {
    const row = await this.#byTransaction.find(transactionId);
    if (row === undefined) {
      return undefined;
    }
    const seen = toChallengeOfToken(row);
    const decision = await decide(seen, false);
    if (await this.#apply(seen, decision, act)) {
      return decision;
    }
    const { token } = seen;
    const lane = String(BigInt(token.id) % SECOND_PASSES);
    return this.#secondPasses.run(lane, () => this.#answerLocked(transactionId, token.id, decide, act));
  }

  /** As `apply`, in a statement that other responses may share. Nothing is written that needs a look under the lock. */
  async #apply(seen: ChallengeOfToken, decision: Decision, act: Act): Promise<boolean> {
    if (decision.change !== null) {
      this.#issued.forget(seen.token.id);
    }
    if (decision.ifConfirmed !== undefined) {
      return false;
    }
    const entry = decisionEntry(act, seen, decision);
    const settled = decision.change && this.#settlement.settle(seen, decision.change, entry);
    return settled ?? apply(this.#database.autocommit, seen, decision, act);
  }

  async #answerOpen(
    tokenOrOwner: TokenOrOwner,
    decide: DecideAmong,
    act: Act,
  ): Promise<OpenDecision | undefined> {
    const seen = await findOpen(this.#database.knex, tokenOrOwner);
    const decided = await decide(seen, false);
    if (decided?.decision.change) {
      this.#issued.forget(decided.answered.token.id);
    }
    const isUndecided = decided?.decision.ifConfirmed !== undefined;
    if (
      decided === undefined ||
      (!isUndecided && (await applyOpen(this.#database.autocommit, decided, act)))
    ) {
      return decided;
    }
    const ids = [...new Set(seen.map(({ token }) => token.id))];
    const lane = String(BigInt(decided.answered.token.id) % SECOND_PASSES);
    return this.#secondPasses.run(lane, () => this.#answerOpenLocked(tokenOrOwner, ids, decide, act));
  }

  /**
   * As `#answerLocked`, with locks on all tokens that the response was tried on: by now it may be right for another
   * one.
   */
  #answerOpenLocked(
    tokenOrOwner: TokenOrOwner,
    ids: readonly string[],
    decide: DecideAmong,
    act: Act,
  ): Promise<OpenDecision | undefined> {
    return this.#database.transact((unit) =>
      withLockedTokens(unit.sql, { ids }, async () => {
        const seen = (await findOpen(unit.sql, tokenOrOwner)).filter(({ token }) => ids.includes(token.id));
        const tried = await decide(seen, true);
        const decided = tried && {
          ...tried,
          decision: await finalOf(unit.sql, tried.answered, tried.decision),
        };
        if (decided !== undefined && !(await applyOpen(unit, decided, act))) {
          throw unsettled(decided.answered.challenge.id);
        }
        return decided;
      }),
    );
  }

  /** The second pass, after another transaction has changed the token. No further one can while its row is locked. */
  #answerLocked(
    transactionId: string,
    tokenId: string,
    decide: Decide,
    act: Act,
  ): Promise<Decision | undefined> {
    return this.#database.transact((unit) =>
      withLockedTokens(unit.sql, { ids: [tokenId] }, async () => {
        const seen = await findByTransaction(unit.sql, transactionId);
        if (seen === undefined) {
          return undefined;
        }
        const decision = await finalOf(unit.sql, seen, await decide(seen, true));
        if (!(await apply(unit, seen, decision, act))) {
          throw unsettled(seen.challenge.id);
        }
        return decision;
      }),
    );
  }
}

function isTransactionIdInUse(error: unknown): boolean {
  return (error as { constraint?: unknown } | null)?.constraint === 'challenges_transaction_id_key';
}

async function findByTransaction(
  connection: Knex,
  transactionId: string,
): Promise<ChallengeOfToken | undefined> {
  const row = (await selectChallenges(connection)
    .where('challenges.transaction_id', transactionId)
    .first()) as ChallengeRow | undefined;
  return row && toChallengeOfToken(row);
}

/** Finds open challenges, newest first. */
function findOpen(connection: Knex, tokenOrOwner: TokenOrOwner): Promise<readonly ChallengeOfToken[]> {
  return findChallenges(connection, { ...tokenOrOwner, open: true }, MAX_OPEN);
}

async function findChallenges(
  connection: Knex,
  filter: ChallengeFilter,
  max?: number,
): Promise<readonly ChallengeOfToken[]> {
  const rows = (await selectChallenges(connection)
    .where(conditionsOf(filter))
    .modify((query) => {
      if (filter.open === true) {
        void query.whereNull('challenges.closed_by').where('challenges.sign_in', false);
      }
      if (max !== undefined) {
        void query.limit(max);
      }
    })
    .whereIn('tokens.type', OCRA_TYPES)
    .orderBy([
      { column: 'challenges.issued_at', order: 'desc' },
      { column: 'challenges.id', order: 'desc' },
    ])) as ChallengeRow[];
  return rows.map(toChallengeOfToken);
}

/** @param transaction holds the token's lock since an earlier statement: nothing is accepted meanwhile */
async function finalOf(
  transaction: Knex.Transaction,
  seen: ChallengeOfToken,
  decision: Decision,
): Promise<Decision> {
  const { ifConfirmed } = decision;
  return ifConfirmed !== undefined && (await isConfirmedInAnotherText(transaction, seen))
    ? ifConfirmed
    : decision;
}

function unsettled(challengeId: string): ServiceError {
  return new ServiceError('internal', 'The response could not be settled', {
    detail: `challenge ${challengeId} changed while its token was locked`,
  });
}

function applyOpen(
  unit: UnitOfWork<Knex>,
  { answered, decision, supersedes }: OpenDecision,
  act: Act,
): Promise<boolean> {
  return apply(unit, answered, decision, act, supersedes);
}

/** @returns false, and writes nothing, if the token or one of its challenges has changed since it was read */
async function apply(
  unit: UnitOfWork<Knex>,
  seen: ChallengeOfToken,
  decision: Decision,
  act: Act,
  supersedes: readonly string[] = [],
): Promise<boolean> {
  const { change } = decision;
  const entry = decisionEntry(act, seen, decision);
  if (change !== null) {
    return settle(unit, seen, { ...change, supersedes }, entry);
  }
  await unit.audit.writeAll([entry]);
  return true;
}

async function issue(
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

/** Closes all open challenges of a token, which has a new key or owner. The caller has written its row before. */
export async function closeOpenChallenges(transaction: Knex.Transaction, tokenId: string): Promise<void> {
  await transaction('challenges')
    .where({ token_id: tokenId, closed_by: null })
    .update({ closed_by: 'superseded', closed_at: transaction.raw('clock_timestamp()') });
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

/** @returns true if there is a condition, and the database can hold all of its texts */
function isFindable({ transactionId, serial, owner }: ChallengeFilter): boolean {
  const isGiven = transactionId !== undefined || serial !== undefined || owner !== undefined;
  return isGiven && isStorable(transactionId, serial, owner?.userId) && isRowId(owner?.resolverId ?? '1');
}

function conditionsOf({ transactionId, serial, owner }: ChallengeFilter): Record<string, string> {
  return {
    ...(transactionId !== undefined && { 'challenges.transaction_id': transactionId }),
    ...(serial !== undefined && { 'tokens.serial': serial }),
    ...(owner !== undefined && {
      'tokens.owner_resolver_id': owner.resolverId,
      'tokens.owner_user_id': owner.userId,
    }),
  };
}
