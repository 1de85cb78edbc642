import type { Knex } from 'knex';
import { AUDIT_FIELDS, auditEntry, auditParts } from '../audit/rows-store.ts';
import { applyLocked, findNamed, locksToken } from '../challenges/challenge-store.ts';
import { TOKEN_FIELDS, tokenAssignments, tokenColumns } from '../challenges/settlement-store.ts';
import type { ChallengeMetrics } from '../challenges/challenge-metrics.ts';
import type { ChallengeOfToken, ResponseReason, TokenOrOwner } from '../challenges/challenge.ts';
import type { Database } from '../database/database.ts';
import { KeyedQueue, SharedWrites, type WritingStatement } from '../database/shared-statements.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import type { Act } from '../policy/caller.ts';
import {
  selectTokens,
  stateColumns,
  type TokenRow,
  toToken,
  withLockedTokens,
} from '../tokens/token-rows-store.ts';
import { isOcraToken, isOwnedBy, type Token } from '../tokens/token.ts';
import type { NotedEntry } from '../webhooks/webhook-event.ts';
import { locks, type PassDecision } from './pass.ts';

/** The tokens that a pass may be of, and their open challenges, newest first. */
export interface SeenByPass {
  readonly tokens: readonly Token[];
  readonly open: readonly ChallengeOfToken[];
}

type Decide = (seen: SeenByPass) => Promise<PassDecision>;

/**
 * The tokens of each pass and its audit row: if all of them are still the versions that were read
 * (docs/adr/0039-passes.md).
 */
const SETTLE: WritingStatement = {
  name: 'settle-passes',
  text: `WITH request AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1::json) AS request(place integer, changes json, ${AUDIT_FIELDS})
      WHERE place >= 0 AND audit_at > '-infinity' AND audit_at < 'infinity'
    ), change AS MATERIALIZED (
      SELECT request.place, change.* FROM request
      CROSS JOIN LATERAL json_to_recordset(request.changes) AS change(${TOKEN_FIELDS})
      WHERE change.token_id > 0 AND change.version > 0
    ), held AS MATERIALIZED (
      SELECT change.place FROM change CROSS JOIN LATERAL (
        SELECT FROM tokens WHERE tokens.id = change.token_id AND tokens.version = change.version
        FOR NO KEY UPDATE SKIP LOCKED
      ) AS token
    ), locked AS MATERIALIZED (
      SELECT place FROM request
      WHERE (SELECT count(*) FROM held WHERE held.place = request.place)
        = (SELECT count(*) FROM change WHERE change.place = request.place)
    ), token AS (
      UPDATE tokens
      SET ${tokenAssignments('change')}
      FROM change
      WHERE tokens.id = change.token_id AND tokens.version = change.version
        AND (SELECT count(*) FROM locked) = (SELECT count(*) FROM request)
      RETURNING change.place
    ), settled AS (
      SELECT DISTINCT place FROM token
    ), ${auditParts('settled', '$2')}
    SELECT place, (SELECT count(*) FROM audited)::integer AS written FROM locked`,
};

/** Settles passes: all tokens that one changes, or none. */
export class PassStore {
  readonly #database: Database;
  readonly #metrics: ChallengeMetrics | undefined;
  readonly #responseEnded: ((reason: ResponseReason, milliseconds: number) => void) | undefined;
  readonly #queue = new KeyedQueue();
  readonly #settlements: SharedWrites;

  constructor(dependencies: {
    readonly database: Database;
    readonly metrics?: ChallengeMetrics | undefined;
    /** Told of each pass with the milliseconds to the end of its settlement. */
    readonly responseEnded?: (reason: ResponseReason, milliseconds: number) => void;
  }) {
    this.#database = dependencies.database;
    this.#metrics = dependencies.metrics;
    this.#responseEnded = dependencies.responseEnded;
    this.#settlements = new SharedWrites(dependencies.database, SETTLE);
  }

  /**
   * Settles a pass exactly once: calls `decide` on tokens and open challenges, and applies the decision only if no token
   * that it changes has changed in between; otherwise decides again under the locks of all tokens.
   * @param tokens as they were just read, not empty; read again where other passes of the person are settled first
   * @param decide may be called twice, then with those that are left; must not have effects of its own
   */
  async settle(
    tokenOrOwner: TokenOrOwner,
    tokens: readonly Token[],
    decide: Decide,
    act: Act,
  ): Promise<PassDecision> {
    const begun = performance.now();
    const key = keyOf(tokens);
    const { knex } = this.#database;
    const settled = await this.#queue.run(key, async (hasWaited) => {
      const open = tokens.some(isOcraToken) ? await findNamed(knex, tokenOrOwner) : [];
      const decision = await decide({
        // The one before may have changed them.
        tokens: hasWaited ? await findMeant(knex, tokenOrOwner, tokens) : tokens,
        open,
      });
      // Beside an open challenge under the locks, whatever changes: a shared statement would tell the PIN by its time.
      const isForLocks = decision.open !== undefined || decision.isBesideOpen === true;
      const isApplied = !isForLocks && (await this.#apply(decision, key, act));
      return isApplied ? decision : this.#settleLocked(tokenOrOwner, tokens, decide, act);
    });
    const reason = settled.open?.decision.reason ?? settled.reason;
    this.#metrics?.responseEnded(reason);
    this.#responseEnded?.(reason, performance.now() - begun);
    settled.changes.filter(locks).forEach(() => this.#metrics?.tokenLocked());
    if (settled.open !== undefined && locksToken(settled.open)) {
      this.#metrics?.tokenLocked();
    }
    return settled;
  }

  /**
   * @returns false, and nothing is written, where a token has changed, several audit rows are due, or more than the state
   *   of a token changes
   */
  async #apply(decision: PassDecision, key: string, act: Act): Promise<boolean> {
    const [entry, another] = entriesOf(decision, act);
    if (entry === undefined || another !== undefined) {
      return false;
    }
    if (decision.changes.length === 0) {
      await this.#database.audit.autocommit.writeAll([entry]);
      return true;
    }
    const changes = decision.changes.map(({ token, change }) => tokenColumns(token, change));
    if (changes.some(({ rollOut }) => Object.keys(rollOut).length > 0)) {
      return false;
    }
    const columns = { changes: changes.map((one) => one.columns) };
    return (await this.#settlements.do({ key, entry, columns })) !== undefined;
  }

  #settleLocked(
    tokenOrOwner: TokenOrOwner,
    tokens: readonly Token[],
    decide: Decide,
    act: Act,
  ): Promise<PassDecision> {
    const ids = tokens.map(({ id }) => id);
    return this.#database.transact((unit) =>
      withLockedTokens(unit.sql, { ids }, async () => {
        const found = await findNamed(unit.sql, tokenOrOwner);
        const decision = await decide({
          tokens: await findMeant(unit.sql, tokenOrOwner, tokens),
          open: found.filter(({ token }) => ids.includes(token.id)),
        });
        return applyAll(unit, decision, act);
      }),
    );
  }
}

/** @returns the tokens as they are stored now, without those that are gone or no longer named */
async function findMeant(
  connection: Knex,
  tokenOrOwner: TokenOrOwner,
  tokens: readonly Token[],
): Promise<readonly Token[]> {
  const ids = tokens.map(({ id }) => id);
  const rows = (await selectTokens(connection)
    .whereIn('tokens.id', ids)
    .orderBy('tokens.serial')) as TokenRow[];
  return rows.map(toToken).filter((token) => isNamed(token, tokenOrOwner));
}

/** @returns false for a token that has another owner meanwhile: it no longer speaks for the one who is named */
function isNamed(token: Token, tokenOrOwner: TokenOrOwner): boolean {
  return 'serial' in tokenOrOwner || isOwnedBy(token, tokenOrOwner.owner);
}

/** @param unit holds the locks of all tokens */
async function applyAll(unit: UnitOfWork, decision: PassDecision, act: Act): Promise<PassDecision> {
  const open = decision.open && (await applyLocked(unit, decision.open, act));
  const result = open?.decision.result ?? decision.result;
  // What is right for a challenge may be refused at last, and then resets nothing.
  const changes = decision.result && !result ? [] : decision.changes;
  for (const { token, change } of changes) {
    await unit.sql('tokens').where({ id: token.id }).update(stateColumns(change));
  }
  const entries = entriesOf({ ...decision, changes }, act);
  if (entries.length > 0) {
    await unit.audit.writeAll(entries);
  }
  return { ...decision, changes, result, ...(open !== undefined && { open }) };
}

/** @returns the row of the pass, unless a challenge has it, and one for each further token that it locks */
function entriesOf({ subject, reason, cause, changes, open }: PassDecision, act: Act): readonly NotedEntry[] {
  const outcome = cause === undefined ? reason : `${reason}, ${cause}`;
  const locked = changes.filter(locks).map(({ token }) => token);
  const first = open === undefined ? [subject] : [];
  const enrolled = changes.filter(({ change }) => change.rollout === 'complete').map(({ token }) => token);
  return [...new Set([...first, ...locked])].map((token) => ({
    ...auditEntry(act, token.serial, token === subject ? outcome : reason, token.realms),
    user: token.owner?.login ?? null,
    consequences: [
      ...(locked.includes(token) ? (['token.locked'] as const) : []),
      ...(enrolled.includes(token) ? (['token.enrolled'] as const) : []),
    ],
  }));
}

/** @returns the same text for a user and for each of their tokens: a statement has one pass for it */
function keyOf([first]: readonly Token[]): string {
  const { owner = null, serial } = first ?? { serial: '' };
  return JSON.stringify(owner === null ? [serial] : [owner.resolverId, owner.userId]);
}
