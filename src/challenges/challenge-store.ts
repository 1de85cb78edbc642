import type { Knex } from 'knex';
import type { Act } from '../policy/caller.ts';
import { isLocked, OCRA_TYPES, type Token, type TokenStateChange } from '../tokens/token.ts';
import type { ChallengeMetrics } from './challenge-metrics.ts';
import type { Database } from '../database/database.ts';
import type { PreparedStatement } from '../database/prepared-statements.ts';
import { KeyedQueue, SharedLookup, SharedWrites } from '../database/shared-statements.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import { isRowId, isStorable } from '../kernel/text.ts';
import {
  findToken,
  REALMS_OF_TOKEN,
  selectTokens,
  stateColumns,
  type TokenRow,
  toToken,
  withLockedTokens,
} from '../tokens/token-rows-store.ts';
import type {
  Challenge,
  ChallengeFilter,
  ChallengeOfToken,
  ClosedBy,
  Decision,
  OpenDecision,
  ResponseReason,
  TokenOrOwner,
} from './challenge.ts';
import {
  countWrongPin,
  decisionEntry,
  firstOrRepeat,
  mayBeFirst,
  SETTLE,
  settle,
  settleLocked,
} from './settlement-store.ts';
import type { IssuedChallenges } from './issued-challenges.ts';
import { plainQuestion, questionKeys } from '../ocra/question.ts';
import { type OcraSuite, parseOcraSuite } from '../ocra/suite.ts';

export interface StoredTransaction {
  readonly serial: string;
  /** The realms of the token now. */
  readonly realms: readonly string[];
  readonly data: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  readonly closedBy: ClosedBy | null;
  /** Null while it is open. */
  readonly closedAt: Date | null;
}

/** @param isRemembered true where `found` may no longer be what is stored; a decision without a change then counts for nothing */
type Decide = (found: ChallengeOfToken, isRemembered?: true) => Promise<Decision>;
type DecideAmong = (
  found: readonly ChallengeOfToken[],
  isRemembered?: true,
) => Promise<OpenDecision | undefined>;

/** What a response names: a transaction, or the token or owner whose open challenges it may answer. */
type Named = Required<Pick<ChallengeFilter, 'transactionId'>> | TokenOrOwner;

/** The columns of a challenge without its id. */
export interface ChallengeColumns {
  readonly transaction_id: string;
  readonly question: string;
  readonly data: string;
  readonly issued_at: Date;
  readonly open_until: Date;
  readonly is_triggered: boolean;
  readonly wrong_count: number;
  readonly received_tan: boolean;
  readonly valid_tan: boolean;
  readonly closed_by: ClosedBy | null;
}

interface ChallengeRow extends TokenRow, ChallengeColumns {
  readonly challenge_id: string;
  readonly sign_in: boolean;
}

/** The state of a challenge, as far as a request can wait for its change. */
export interface AwaitedState extends Pick<Challenge, 'receivedTan' | 'validTan' | 'closedBy'> {
  readonly failCount: number;
  readonly active: boolean;
  /** True if the token has reached its limit of wrong responses. */
  readonly locked: boolean;
}

interface StateRow extends Pick<ChallengeColumns, 'received_tan' | 'valid_tan' | 'closed_by'> {
  readonly id: string;
  readonly fail_count: number;
  readonly max_fail: number;
  readonly active: boolean;
}

const STATES: PreparedStatement<StateRow> = {
  name: 'read-awaited-challenges',
  text: `SELECT challenges.id, challenges.received_tan, challenges.valid_tan, challenges.closed_by, tokens.fail_count,
      tokens.max_fail, tokens.active
    FROM challenges JOIN tokens ON tokens.id = challenges.token_id
    WHERE challenges.id = ANY ($1::bigint[])`,
};

/** The most second passes that hold a connection at once; the rest of the pool is for the decisions. */
const SECOND_PASSES = 4n;

/** The most challenges that one response may answer. */
const MAX_OPEN = 1_000;

interface ChallengeStoreDependencies {
  readonly database: Database;
  readonly metrics?: ChallengeMetrics | undefined;
  /** Told of each response with the milliseconds from the search for its challenge to the end of its settlement. */
  readonly responseEnded?: (reason: ResponseReason, milliseconds: number) => void;
  readonly issued?: IssuedChallenges;
}

/**
 * Challenges. The row of the token is the lock and the version for all of its challenges:
 * docs/adr/0003-accepting-a-response-once.md describes why each is answered once.
 */
export class ChallengeStore {
  readonly #database: Database;
  readonly #metrics: ChallengeMetrics | undefined;
  readonly #responseEnded: ChallengeStoreDependencies['responseEnded'];
  /** Those to one transaction, token or user: each that comes at once would else take a second pass. */
  readonly #answers = new KeyedQueue();
  readonly #secondPasses = new KeyedQueue();
  readonly #byTransaction: SharedLookup<ChallengeRow>;
  readonly #settlements: SharedWrites;
  readonly #issued: IssuedChallenges | undefined;

  constructor({ database, metrics, responseEnded, issued }: ChallengeStoreDependencies) {
    this.#database = database;
    this.#metrics = metrics;
    this.#responseEnded = responseEnded;
    this.#issued = issued;
    const byTransaction = selectChallenges(database.knex).whereRaw(
      'challenges.transaction_id = requested.key',
    );
    this.#byTransaction = new SharedLookup(database, 'find-transactions', byTransaction);
    this.#settlements = new SharedWrites(database, SETTLE);
  }

  /**
   * Answers a challenge exactly once: reads it with its token, or remembers both from the issue, calls `decide`, and
   * applies the decision only if the token and its challenges have not changed in between; otherwise decides again, on
   * what is stored, at last under the token's lock.
   * @param decide may be called three times, at last under the token's lock; must not have effects of its own. What it
   *   reads then takes a second connection to the database
   * @param revision of the configuration that `decide` goes by; undefined: the challenge is read
   * @returns the decision that was applied, undefined when there is no such transaction
   */
  async answer(
    transactionId: string,
    decide: Decide,
    act: Act,
    revision?: bigint,
  ): Promise<Decision | undefined> {
    const among: DecideAmong = async ([answered], isRemembered) =>
      answered && { answered, decision: await decide(answered, isRemembered) };
    return (await this.#answer({ transactionId }, among, act, revision))?.decision;
  }

  /**
   * Applies a decision as `answer` does, for a response that names no transaction.
   * @param decide gets the challenges that are not closed, newest first, a thousand at most, without those of sign-ins,
   *   which name their transaction; undefined: the response answers none of them. A repeated call gets no tokens that the first one did not get
   * @returns the decision that was applied, undefined where there is none
   */
  answerOpen(tokenOrOwner: TokenOrOwner, decide: DecideAmong, act: Act): Promise<OpenDecision | undefined> {
    return this.#answer(tokenOrOwner, decide, act);
  }

  /**
   * Counts a wrong PIN that no challenge was open for.
   * @param tokenId undefined: there is no token; the time does not tell
   * @returns false: it was not counted, and has no audit row
   */
  async countWrongPin(tokenId: string | undefined, act: Act): Promise<boolean> {
    const counted = await this.#database.transact((unit) => countWrongPin(unit, tokenId ?? '0', act));
    if (counted?.isLockedNow === true) {
      this.#metrics?.tokenLocked();
    }
    return counted !== undefined;
  }

  /** @returns the matching challenges of OCRA tokens, newest first */
  async find(filter: ChallengeFilter): Promise<readonly ChallengeOfToken[]> {
    return isFindable(filter) ? findChallenges(this.#database.knex, filter) : [];
  }

  /** @returns the states by the ids of the challenges, without those that are no longer stored */
  async states(ids: readonly string[]): Promise<ReadonlyMap<string, AwaitedState>> {
    const rows = await this.#database.prepared.run(STATES, [ids]);
    return new Map(
      rows.map(({ id, active, ...row }) => [
        id,
        {
          receivedTan: row.received_tan,
          validTan: row.valid_tan,
          closedBy: row.closed_by,
          failCount: row.fail_count,
          active,
          locked: isLocked({ failCount: row.fail_count, maxFail: row.max_fail }),
        },
      ]),
    );
  }

  /** @returns a stored challenge by its transaction, for its history: without question and key */
  async findStored(transactionId: string): Promise<StoredTransaction | undefined> {
    if (!isStorable(transactionId)) {
      return undefined;
    }
    const { knex } = this.#database;
    return knex('challenges')
      .join('tokens', 'tokens.id', 'challenges.token_id')
      .where('challenges.transaction_id', transactionId)
      .first<StoredTransaction | undefined>(
        'tokens.serial',
        knex.raw(REALMS_OF_TOKEN),
        'challenges.data',
        'challenges.issued_at as issuedAt',
        'challenges.open_until as expiresAt',
        'challenges.closed_by as closedBy',
        'challenges.closed_at as closedAt',
      );
  }

  /**
   * Changes a token by its present state and the questions of its last challenges, under its lock.
   * @param decide gets two questions at most, the newest first. It returns the change, or null for none; both are audited
   * @returns true if there was a change, undefined when there is no such token
   */
  async changeByQuestions(
    serial: string,
    decide: (token: Token, questions: readonly string[]) => TokenStateChange | null,
    act: Act,
  ): Promise<boolean | undefined> {
    if (!isStorable(serial)) {
      return undefined;
    }
    return this.#database.transact(({ sql, audit }) =>
      withLockedTokens(sql, { serials: [serial] }, async () => {
        const token = await findToken(sql, { serial });
        if (token === undefined) {
          return undefined;
        }
        const { id } = token;
        const asked = sql('challenges').where({ token_id: id }).orderBy('id', 'desc').limit(2);
        const change = decide(token, await asked.pluck<string[]>('question'));
        if (change !== null) {
          await sql('tokens').where({ id }).update(stateColumns(change));
        }
        await audit.write(act, serial, change === null ? 'refused' : 'done', token.realms);
        return change !== null;
      }),
    );
  }

  async #answer(
    named: Named,
    decide: DecideAmong,
    act: Act,
    revision?: bigint,
  ): Promise<OpenDecision | undefined> {
    const begun = performance.now();
    const decideOnce = async (): Promise<OpenDecision | undefined> =>
      (await this.#decideRemembered(named, decide, act, revision)) ?? this.#decideOnce(named, decide, act);
    const applied = isFindable(named)
      ? await this.#answers.run(JSON.stringify(named), decideOnce)
      : undefined;
    const lack = 'transactionId' in named ? 'unknown' : 'nothing open';
    const reason = applied?.decision.reason ?? lack;
    this.#metrics?.responseEnded(reason);
    this.#responseEnded?.(reason, performance.now() - begun);
    if (applied !== undefined && locksToken(applied)) {
      this.#metrics?.tokenLocked();
    }
    return applied;
  }

  /** @returns undefined, and nothing is written, where only what is stored can decide: always, unless the token changes */
  async #decideRemembered(
    named: Named,
    decide: DecideAmong,
    act: Act,
    revision: bigint | undefined,
  ): Promise<OpenDecision | undefined> {
    const issued =
      revision !== undefined && 'transactionId' in named
        ? this.#issued?.take(revision, named.transactionId)
        : undefined;
    const decided = issued && (await decide([issued], true));
    if (decided === undefined || decided.decision.change === null) {
      return undefined;
    }
    return (await this.#apply(decided, act)) ? decided : undefined;
  }

  async #decideOnce(named: Named, decide: DecideAmong, act: Act): Promise<OpenDecision | undefined> {
    const seen = await this.#findNamed(named);
    const decided = await decide(seen);
    if (decided === undefined || (await this.#apply(decided, act))) {
      return decided;
    }
    const ids = [...new Set(seen.map(({ token }) => token.id))];
    const queue = String(BigInt(decided.answered.token.id) % SECOND_PASSES);
    return this.#secondPasses.run(queue, () => this.#decideLocked(named, ids, decide, act));
  }

  async #findNamed(named: Named): Promise<readonly ChallengeOfToken[]> {
    if (!('transactionId' in named)) {
      return findNamed(this.#database.knex, named);
    }
    const row = await this.#byTransaction.find(named.transactionId);
    return row === undefined ? [] : [toChallengeOfToken(row)];
  }

  /**
   * @returns false, and writes nothing, if the token or one of its challenges has changed since it was read, or where the
   *   decision needs a look under the lock
   */
  async #apply({ answered, decision, supersedes = [] }: OpenDecision, act: Act): Promise<boolean> {
    const entry = decisionEntry(act, answered, decision);
    if (decision.ifConfirmed !== undefined || mayBeFirst(entry, decision)) {
      return false;
    }
    if (decision.change !== null) {
      return settle(this.#settlements, answered, { ...decision.change, supersedes }, entry);
    }
    await this.#database.audit.autocommit.writeAll([entry]);
    return true;
  }

  /**
   * The second pass, after another transaction has changed the token. No further one can while its row is locked; so are
   * all tokens that the response was tried on, as by now it may be right for another one.
   */
  #decideLocked(
    named: Named,
    ids: readonly string[],
    decide: DecideAmong,
    act: Act,
  ): Promise<OpenDecision | undefined> {
    return this.#database.transact((unit) =>
      withLockedTokens(unit.sql, { ids }, async () => {
        const found = await findNamed(unit.sql, named);
        const tried = await decide(found.filter(({ token }) => ids.includes(token.id)));
        return tried && applyLocked(unit, tried, act);
      }),
    );
  }
}

/** @returns a query for `ChallengeRow`s, to be narrowed by the caller */
function selectChallenges(connection: Knex): Knex.QueryBuilder {
  return selectTokens(connection)
    .join('challenges', 'challenges.token_id', 'tokens.id')
    .select(
      'challenges.id as challenge_id',
      'challenges.transaction_id',
      'challenges.question',
      'challenges.data',
      'challenges.issued_at',
      'challenges.open_until',
      'challenges.is_triggered',
      'challenges.wrong_count',
      'challenges.received_tan',
      'challenges.valid_tan',
      'challenges.closed_by',
      'challenges.sign_in',
    );
}

function toChallengeOfToken(row: ChallengeRow): ChallengeOfToken {
  const signIn = row.sign_in ? { signIn: true as const } : {};
  return { challenge: { id: row.challenge_id, ...challengeOf(row), ...signIn }, token: toToken(row) };
}

export function challengeOf(row: ChallengeColumns): Omit<Challenge, 'id'> {
  return {
    transactionId: row.transaction_id,
    question: row.question,
    data: row.data,
    issuedAt: row.issued_at,
    expiresAt: row.open_until,
    ...(row.is_triggered && { isTriggered: true as const }),
    wrongCount: row.wrong_count,
    receivedTan: row.received_tan,
    validTan: row.valid_tan,
    closedBy: row.closed_by,
  };
}

/** Finds the challenge of a transaction, or open challenges, newest first. */
export async function findNamed(connection: Knex, named: Named): Promise<readonly ChallengeOfToken[]> {
  if (!('transactionId' in named)) {
    return findChallenges(connection, { ...named, open: true }, MAX_OPEN);
  }
  const rows = (await selectChallenges(connection)
    .where('challenges.transaction_id', named.transactionId)
    .limit(1)) as ChallengeRow[];
  return rows.map(toChallengeOfToken);
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

/** @param unit holds the token's lock */
export async function applyLocked(
  unit: UnitOfWork,
  { answered, supersedes = [], ...decided }: OpenDecision,
  act: Act,
): Promise<OpenDecision> {
  const decision = await finalOf(unit.sql, answered, decided.decision);
  const { change } = decision;
  const entry = decisionEntry(act, answered, decision);
  if (change === null) {
    await unit.audit.writeAll([await firstOrRepeat(unit.sql, entry, decision)]);
  } else if (!(await settleLocked(unit, answered, { ...change, supersedes }, entry))) {
    throw new ServiceError('internal', 'The response could not be settled', {
      detail: `challenge ${answered.challenge.id} changed while its token was locked`,
    });
  }
  return { answered, decision, supersedes };
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

/** @returns true if the decision locks the token */
export function locksToken({ answered: { token }, decision: { failCount } }: OpenDecision): boolean {
  return !isLocked(token) && isLocked({ failCount, maxFail: token.maxFail });
}

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
async function isConfirmedInAnotherText(
  transaction: Knex.Transaction,
  { challenge: { question, data }, token: { id, algorithm } }: ChallengeOfToken,
): Promise<boolean> {
  const suite = parseOcraSuite(algorithm ?? '');
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
