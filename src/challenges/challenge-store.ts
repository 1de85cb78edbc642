import type { Knex } from 'knex';
import type { Act } from '../policy/caller.ts';
import { isLocked, OCRA_TYPES, type Token, type TokenChange } from '../tokens/token.ts';
import type { ChallengeMetrics } from './challenge-metrics.ts';
import { ServiceError } from '../kernel/errors.ts';
import type {
  ResponseReason,
  ChallengeFilter,
  ChallengeOfToken,
  Decision,
  NewChallenge,
  OpenDecision,
  TokenOrOwner,
} from './challenge.ts';
import { type ChallengeRow, selectChallenges, toChallengeOfToken } from './challenge-rows-store.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { isConfirmedInAnotherText } from './asked-questions-store.ts';
import { decisionEntry, settleLocked, Settlements } from './settlement-store.ts';
import { isTransactionIdInUse, issueLocked, Issues } from './issue-store.ts';
import { SharedLookup } from '../database/shared-lookup.ts';
import { assertStorable, isRowId, isStorable } from '../database/stored-text.ts';
import { withLockedTokens } from '../tokens/token-locks-store.ts';
import { KeyedQueue } from '../database/keyed-queue.ts';

type Decide = (found: ChallengeOfToken, holdsLock: boolean) => Promise<Decision>;
type DecideAmong = (
  found: readonly ChallengeOfToken[],
  holdsLock: boolean,
) => Promise<OpenDecision | undefined>;

/** The most second passes that hold a connection at once; the rest of the pool is for the decisions. */
const SECOND_PASSES = 4n;

/** The most challenges that one response may answer. */
const MAX_OPEN = 1_000;

/** The dependencies of the store, and what it tells. */
interface ChallengeStoreDependencies {
  readonly database: Database;
  readonly metrics?: ChallengeMetrics | undefined;
  /** Told of each response with the milliseconds from the search for its challenge to the end of its settlement. */
  readonly responseEnded?: (reason: ResponseReason, milliseconds: number) => void;
}

/**
 * Challenges. The row of the token is the lock and the version for all of its challenges:
 * docs/adr/0003-accepting-a-response-once.md describes why each is answered once.
 */
export class ChallengeStore {
  readonly #database: Database;
  readonly #metrics: ChallengeMetrics | undefined;
  readonly #responseEnded: ChallengeStoreDependencies['responseEnded'];
  readonly #answers = new KeyedQueue();
  readonly #openAnswers = new KeyedQueue();
  readonly #secondPasses = new KeyedQueue();
  readonly #byTransaction: SharedLookup<ChallengeRow>;
  readonly #settlements: Settlements;
  readonly #issues: Issues;

  constructor({ database, metrics, responseEnded }: ChallengeStoreDependencies) {
    this.#database = database;
    this.#metrics = metrics;
    this.#responseEnded = responseEnded;
    const byTransaction = selectChallenges(database.knex).whereRaw(
      'challenges.transaction_id = requested.key',
    );
    this.#byTransaction = new SharedLookup(database, 'find-transactions', byTransaction);
    this.#settlements = new Settlements(database);
    this.#issues = new Issues(database);
  }

  /**
   * Stores a challenge and closes the token's oldest open ones beyond `maxOpen`, in one transaction; those of sign-ins
   * and others are counted apart. No response to one text confirms another: where the question is that of a stored
   * challenge of the token with another text, another one takes its place. Challenges that were accepted count for
   * suites without a counter only: with one, the responses that were made for them before are behind the counter, and
   * `answer` refuses them. One that the app made again afterwards is not told apart (SECURITY.md, Limits).
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

  /**
   * Answers a challenge exactly once: reads it with its token, calls `decide`, and
   * applies the decision only if the token and its challenges have not changed in between; otherwise decides again, on
   * what is stored, at last under the token's lock.
   * @param decide may be called more than once, `holdsLock` under the token's lock; must not have effects of its own.
   *   Its reads may need a second connection to the database
   * @returns the decision that was applied, undefined when there is no such transaction
   */
  async answer(transactionId: string, decide: Decide, act: Act): Promise<Decision | undefined> {
    const begun = performance.now();
    // Of repeated decisions, the last one is applied.
    let token: Token | undefined;
    const noting: Decide = (found, holdsLock) => {
      token = found.token;
      return decide(found, holdsLock);
    };
    const decision = isStorable(transactionId)
      ? await this.#answers.run(transactionId, () => this.#answer(transactionId, noting, act))
      : undefined;
    this.#noteEnd(begun, token, decision, 'unknown');
    return decision;
  }

  /** @returns the matching challenges of OCRA tokens, newest first */
  async find(filter: ChallengeFilter): Promise<readonly ChallengeOfToken[]> {
    return isFindable(filter) ? findChallenges(this.#database.knex, filter) : [];
  }

  /**
   * Applies a decision as `answer` does, for a response that names no transaction.
   * @param decide gets the challenges that are not closed, newest first, a thousand at most, without those of sign-ins,
   *   which name their transaction; undefined: the response answers none of them. A repeated call gets no tokens that the first one did not get
   * @returns the decision that was applied, undefined where there is none
   */
  async answerOpen(
    tokenOrOwner: TokenOrOwner,
    decide: DecideAmong,
    act: Act,
  ): Promise<OpenDecision | undefined> {
    const begun = performance.now();
    const applied = isFindable(tokenOrOwner)
      ? await this.#openAnswers.run(JSON.stringify(tokenOrOwner), () =>
          this.#answerOpen(tokenOrOwner, decide, act),
        )
      : undefined;
    this.#noteEnd(begun, applied?.answered.token, applied?.decision, 'nothing open');
    return applied;
  }

  /** Counts the end of a response, by the decision that was applied to the token, or the lack of one. */
  #noteEnd(
    begun: number,
    token: Token | undefined,
    decision: Decision | undefined,
    lack: ResponseReason,
  ): void {
    const reason = decision?.reason ?? lack;
    this.#metrics?.responseEnded(reason);
    this.#responseEnded?.(reason, performance.now() - begun);
    if (token !== undefined && decision !== undefined && !isLocked(token)) {
      if (isLocked({ failCount: decision.failCount, maxFail: token.maxFail })) {
        this.#metrics?.tokenLocked();
      }
    }
  }

  async #issue(challenge: NewChallenge, maxOpen: number, act: Act, change: TokenChange): Promise<string> {
    const { seen } = challenge;
    const isShared = seen !== undefined && Object.keys(change).length === 0;
    const isIssued = isShared && (await this.#issues.issue(challenge, seen, maxOpen, act));
    return isIssued
      ? challenge.question
      : this.#database.transact((unit) => issueLocked(unit, challenge, maxOpen, act, change));
  }

  /** @returns undefined where there is no such challenge */
  async #answer(transactionId: string, decide: Decide, act: Act): Promise<Decision | undefined> {
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

  /**
   * @returns false, and writes nothing, if the token or one of its challenges has changed since it was read, or where the
   *   decision needs a look under the lock
   */
  async #apply(
    seen: ChallengeOfToken,
    decision: Decision,
    act: Act,
    supersedes: readonly string[] = [],
  ): Promise<boolean> {
    if (decision.ifConfirmed !== undefined) {
      return false;
    }
    const entry = decisionEntry(act, seen, decision);
    if (decision.change !== null) {
      return this.#settlements.settle(seen, { ...decision.change, supersedes }, entry);
    }
    await this.#database.autocommit.audit.writeAll([entry]);
    return true;
  }

  async #answerOpen(
    tokenOrOwner: TokenOrOwner,
    decide: DecideAmong,
    act: Act,
  ): Promise<OpenDecision | undefined> {
    const seen = await findOpen(this.#database.knex, tokenOrOwner);
    const decided = await decide(seen, false);
    if (
      decided === undefined ||
      (await this.#apply(decided.answered, decided.decision, act, decided.supersedes))
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
        if (decided !== undefined) {
          await applyLocked(unit, decided.answered, decided.decision, act, decided.supersedes);
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
        await applyLocked(unit, seen, decision, act);
        return decision;
      }),
    );
  }
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

async function applyLocked(
  unit: UnitOfWork,
  seen: ChallengeOfToken,
  decision: Decision,
  act: Act,
  supersedes: readonly string[] = [],
): Promise<void> {
  const { change } = decision;
  const entry = decisionEntry(act, seen, decision);
  if (change === null) {
    await unit.audit.writeAll([entry]);
  } else if (!(await settleLocked(unit, seen, { ...change, supersedes }, entry))) {
    throw new ServiceError('internal', 'The response could not be settled', {
      detail: `challenge ${seen.challenge.id} changed while its token was locked`,
    });
  }
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
