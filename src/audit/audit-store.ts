import type { Knex } from 'knex';
import type { AuditEntry, AuditFilter, AuditPeriod, AuditRow, RowPlace } from './audit-row.ts';
import type { InstallationKey } from './checkpoint.ts';
import type { Act } from '../policy/caller.ts';
import { monthsBefore, type Pruned, pruneTrail } from './pruning-store.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import {
  AUDIT_COLUMNS,
  openTrail,
  PLACE_COLUMNS,
  restrictPeriod,
  type StepRun,
  type StoredRow,
  toAuditRow,
} from './trail-store.ts';
import { isStorable } from '../kernel/text.ts';
import { ROWS_OF_TRANSACTION, storableEntry } from './rows-store.ts';
import type { AuditSealer } from './sealing-store.ts';
import { type Trail, type TrailVerification, type VerifyRequest, verifyTrail } from './verification.ts';

export interface TransactionRows {
  /** Oldest first. */
  readonly rows: readonly AuditRow[];
  /** The number of its rows that are not among them. */
  readonly more: number;
}

type CountedRow = StoredRow & { readonly total: string; readonly foreign: string };

/** The rows that a step of a search has found. */
export interface FoundRows {
  /** Newest first. */
  readonly rows: readonly AuditRow[];
  /** The last row that was read, for `after` of the next step; null: the limit or the end of the trail is reached. */
  readonly reached: RowPlace | null;
}

/** By the columns, not by the text form of the time. */
const NEWEST_FIRST = 'audit.at DESC, audit.id DESC';
/** Actions whose rows have an index of their own. */
const INDEXED_ACTIONS: readonly string[] = ['policy/set', 'policy/remove', 'backup/export'];
/**
 * The bounds of a search where no index helps: rows of the trail that are read at once, the number of such parts for a
 * page, and the milliseconds after which no further part is read for it.
 */
const PARTS = { rows: 50_000, parts: 4, time: 5_000 };

/** A search in a part of the trail. */
interface PartFilter extends AuditFilter {
  /** The last row of the part. */
  readonly through?: RowPlace | undefined;
}

export class AuditStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /**
   * Searches, newest rows first, in short statements. Where no index finds the rows, it reads only a part of the trail,
   * part by part from the newest row or that of `after` on.
   */
  async searchStep(filter: AuditFilter, bounds = PARTS): Promise<FoundRows> {
    if (isIndexed(filter)) {
      return { rows: await this.#find(filter), reached: null };
    }
    const rows: AuditRow[] = [];
    const end = performance.now() + bounds.time;
    let { after } = filter;
    for (let part = 0; part < bounds.parts && (part === 0 || performance.now() < end); part += 1) {
      const through = await this.#endOfPart({ ...filter, after }, bounds.rows);
      const limit = filter.limit - rows.length;
      rows.push(...(await this.#find({ ...filter, after, through, limit })));
      if (through === undefined || rows.length >= filter.limit) {
        return { rows, reached: null };
      }
      after = through;
    }
    return { rows, reached: after ?? null };
  }

  /**
   * @param max the number of rows to read
   * @param realms rows about a token in none of these realms hide the transaction; undefined: none does
   * @returns its oldest rows; undefined if it is hidden
   */
  async ofTransaction(
    transaction: string,
    max: number,
    realms?: readonly string[],
  ): Promise<TransactionRows | undefined> {
    if (!isStorable(transaction)) {
      return { rows: [], more: 0 };
    }
    const foreign = realms === undefined ? 'false' : "NOT string_to_array(audit.realm, ',') && ?::text[]";
    const { rows } = await this.#database.knex.raw<{ rows: CountedRow[] }>(
      `WITH audit AS MATERIALIZED (${ROWS_OF_TRANSACTION})
       SELECT ${AUDIT_COLUMNS}, count(*) OVER () AS total, count(*) FILTER (WHERE ${foreign}) OVER () AS "foreign"
       FROM audit ORDER BY audit.at, audit.id LIMIT ?`,
      [transaction, ...(realms === undefined ? [] : [[...realms]]), max],
    );
    return rows.some((row) => row.foreign !== '0')
      ? undefined
      : { rows: rows.map(toAuditRow), more: Number(rows[0]?.total ?? 0) - rows.length };
  }

  /** See `openTrail`. */
  trail(period?: AuditPeriod, run?: StepRun): Promise<Trail> {
    return openTrail(this.#database, period, run);
  }

  /** Verifies the whole trail. */
  async verify(keys: readonly InstallationKey[], request: VerifyRequest): Promise<TrailVerification> {
    // First: the rows of those who are made meanwhile are read.
    const administrators = await this.#database
      .knex('administrators')
      .orderBy('name')
      .pluck<string[]>('name');
    const of = await this.#estimate();
    return verifyTrail(await this.trail(), { ...request, keys, administrators, of });
  }

  /** Writes rows of refused requests, which belong to no act, in a transaction of their own. */
  async writeRefusals(entries: readonly AuditEntry[]): Promise<void> {
    await this.#database.audit.autocommit.writeAll(entries.map(storableEntry));
  }

  note(act: Act, outcome: string): Promise<void> {
    return this.#database.audit.autocommit.write(act, 'audit', outcome);
  }

  /** See `pruneTrail`. */
  prune(sealer: AuditSealer, before: Date, act: Act): Promise<Pruned> {
    return pruneTrail(this.#database, sealer, before, act);
  }

  /** @returns the number of months that end before the month of an instant */
  async monthsBefore(instant: Date): Promise<number> {
    return (await monthsBefore(this.#database.knex, instant)).length;
  }

  /** @returns the place of the last row of the next part; undefined if fewer rows are left */
  async #endOfPart(
    filter: Pick<AuditFilter, 'since' | 'until' | 'after'>,
    rows: number,
  ): Promise<RowPlace | undefined> {
    const { knex } = this.#database;
    const query = knex('audit')
      .select(knex.raw(PLACE_COLUMNS))
      .offset(rows - 1)
      .limit(1);
    restrictTime(query, filter);
    const [row]: { at: string | null; id: string }[] = await query.orderByRaw(NEWEST_FIRST);
    return typeof row?.at === 'string' ? { at: row.at, id: row.id } : undefined;
  }

  async #find(filter: PartFilter): Promise<readonly AuditRow[]> {
    const { actor, action, subject, subjects = [], realm, outcome, client, requestId, transaction } = filter;
    if (!isStorable(actor, action, subject, ...subjects, realm, outcome, client, requestId, transaction)) {
      return [];
    }
    const query = searchQuery(this.#database.knex, filter);
    const read = async ({ sql }: UnitOfWork): Promise<StoredRow[]> => {
      const found: unknown = await query.clone().transacting(sql);
      return found as StoredRow[];
    };
    return (await this.#database.transact(read)).map(toAuditRow);
  }

  /** @returns the approximate number of rows, from the database's statistics */
  async #estimate(): Promise<number> {
    const { rows } = await this.#database.knex.raw<{ rows: { rows: number }[] }>(
      `SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 AS rows
       FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = 'audit'::regclass`,
    );
    return Math.round(rows[0]?.rows ?? 0);
  }
}

/** @returns true if an index finds the rows, or any row is one of them */
function isIndexed({ transaction, subject, subjects, actor, action, ...filter }: AuditFilter): boolean {
  const { realm, outcome, client, requestId, within } = filter;
  if (transaction !== undefined || subject !== undefined || subjects !== undefined) {
    return true;
  }
  const others = [realm, outcome, client, requestId, within].filter((value) => value !== undefined);
  // Of these, a row of each is not rare: a second condition may leave none of them.
  return (
    others.length === 0 && (action === undefined || (actor === undefined && INDEXED_ACTIONS.includes(action)))
  );
}

export function searchQuery(knex: Knex, filter: PartFilter): Knex.QueryBuilder {
  const { transaction, subjects, limit } = filter;
  const query = knex('audit').select(knex.raw(AUDIT_COLUMNS)).limit(limit);
  if (transaction !== undefined) {
    query.withMaterialized('audit', knex.raw(ROWS_OF_TRANSACTION, [transaction]));
  } else if (subjects !== undefined) {
    query.withMaterialized('audit', newestOfEach(knex, [...new Set(subjects)], filter));
  }
  restrict(query, filter);
  return query.orderByRaw(NEWEST_FIRST);
}

/**
 * @returns the newest rows about each subject by their index, as many as the page may need: the planner would not
 *   take the index for several of them and an order, nor, for the order by time alone, for one of them
 */
function newestOfEach(knex: Knex, subjects: readonly string[], filter: PartFilter): Knex.Raw {
  const newest = knex('audit')
    .select('audit.*')
    .whereRaw('audit.subject >= owned.subject AND audit.subject <= owned.subject')
    .orderByRaw(`audit.subject DESC, ${NEWEST_FIRST}`)
    .limit(filter.limit);
  restrict(newest, { ...filter, subjects: undefined });
  return knex.raw(
    'SELECT newest.* FROM unnest(?::text[]) AS owned(subject) CROSS JOIN LATERAL (?) AS newest',
    [[...subjects], knex.raw('?', [newest])],
  );
}

function restrict(query: Knex.QueryBuilder, filter: PartFilter): void {
  const { actor, action, subject, subjects, realm, outcome, client, requestId } = filter;
  const columns = { actor, action, 'audit.subject': subject, client, request_id: requestId };
  for (const [column, requested] of Object.entries(columns)) {
    if (requested !== undefined) {
      query.where(column, requested);
    }
  }
  if (subjects !== undefined) {
    query.whereRaw('subject = ANY (?::text[])', [[...subjects]]);
  }
  if (outcome !== undefined) {
    // Its first words find it, too, without the details after them: `refused` finds `refused: no right`.
    query.whereRaw('left(outcome, char_length(?) + 1) = ANY (?::text[])', [
      outcome,
      ['', ' ', ',', ':'].map((end) => `${outcome}${end}`),
    ]);
  }
  if (realm !== undefined) {
    query.whereRaw("? = ANY (string_to_array(realm, ','))", [realm]);
  }
  if (filter.within !== undefined) {
    query.whereRaw("string_to_array(realm, ',') && ?::text[]", [[...filter.within]]);
  }
  if (filter.entirelyWithin !== undefined) {
    query.whereRaw("string_to_array(realm, ',') <@ ?::text[]", [[...filter.entirelyWithin]]);
  }
  restrictTime(query, filter);
  if (filter.through !== undefined) {
    query
      .where('at', '>=', filter.through.at)
      .whereRaw('(at, id) >= (?::timestamptz, ?::bigint)', [filter.through.at, filter.through.id]);
  }
}

function restrictTime(
  query: Knex.QueryBuilder,
  { after, ...period }: Pick<AuditFilter, 'since' | 'until' | 'after'>,
): void {
  restrictPeriod(query, period);
  if (after !== undefined) {
    // The first condition leaves out whole months, which the comparison of pairs does not.
    query
      .where('audit.at', '<=', after.at)
      .whereRaw('(audit.at, audit.id) < (?::timestamptz, ?::bigint)', [after.at, after.id]);
  }
}
