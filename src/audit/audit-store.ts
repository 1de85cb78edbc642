import type { Knex } from 'knex';
import type { AuditEntry, AuditRow } from './audit-row.ts';
import type { InstallationKey } from './signatures.ts';
import {
  type AuditSnapshot,
  type StoredSnapshot,
  type TrailVerification,
  type VerifyRequest,
  verifyTrail,
} from './verify-trail.ts';
import type { AuditFilter, RowPlace } from './filter-values.ts';
import type { PruningPlan } from './journal-record.ts';
import type { Act } from '../policy/caller.ts';
import { partitionsBefore, type Pruned, pruneTrail } from './pruning-store.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import {
  AUDIT_COLUMNS,
  PLACE_COLUMNS,
  readInSteps,
  snapshotIn,
  type StepRun,
  type Stored,
  toAuditRow,
} from './snapshot-store.ts';
import { isStorable } from '../kernel/text.ts';
import { ROWS_OF_TRANSACTION, storableEntry } from './rows-store.ts';

export interface TransactionRows {
  /** Oldest first. */
  readonly rows: readonly AuditRow[];
  /** The number of its rows that are not among them. */
  readonly more: number;
}

type CountedRow = Stored<AuditRow> & { readonly total: string; readonly foreign: string };

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

  /** @returns rows, newest first. Rare ones take a reading of the whole trail, without a time limit */
  search(filter: AuditFilter): Promise<readonly AuditRow[]> {
    return this.#find(filter, true);
  }

  /**
   * Searches as `search`, in short statements. Where no index finds the rows, it reads only a part of the trail, part by
   * part from the newest row or that of `after` on.
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

  /** Reads in one snapshot of any duration; writers are not blocked. */
  async read<T>(work: (snapshot: StoredSnapshot) => Promise<T>): Promise<T> {
    const read = async ({ sql }: UnitOfWork): Promise<T> => {
      await sql.raw('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      // Locks all months before the first read: a snapshot does not hold back DROP TABLE, and rows that move to a new
      // partition are invisible to an older snapshot.
      await sql.raw('LOCK TABLE audit IN ACCESS SHARE MODE');
      return work(snapshotIn(sql));
    };
    return this.#database.transact(read, { isLong: true });
  }

  /**
   * Verifies the whole trail at one instant.
   * @param also runs on the same snapshot that was verified
   */
  async verify(
    keys: readonly InstallationKey[],
    request: VerifyRequest,
    also?: (snapshot: StoredSnapshot) => Promise<void>,
  ): Promise<TrailVerification> {
    const of = await this.#estimate();
    return this.read(async (snapshot) => {
      const installation = await snapshot.installation();
      const verification = await verifyTrail(snapshot, { ...request, keys, of, installation });
      await also?.(snapshot);
      return verification;
    });
  }

  /**
   * Reads the trail as it was at the beginning, in short transactions: no connection and no snapshot is held between
   * them. Rows that are changed meanwhile are read as changed.
   * @param run runs each step; ends the reading by its error
   * @throws ServiceError 'server.busy' if the trail was pruned meanwhile, 'audit.unverifiable' if its table was altered
   */
  readInSteps<T>(work: (snapshot: AuditSnapshot) => Promise<T>, run: StepRun): Promise<T> {
    return readInSteps(this.#database, work, run);
  }

  /** Writes rows of refused requests, which belong to no act, in a transaction of their own. */
  async writeRefusals(entries: readonly AuditEntry[]): Promise<void> {
    await this.#database.audit.autocommit.writeAll(entries.map(storableEntry));
  }

  note(act: Act, outcome: string): Promise<void> {
    return this.#database.audit.autocommit.write(act, 'audit', outcome);
  }

  /**
   * Removes all rows before an instant, and the journal records that are then useless, in one transaction with a signed
   * record of the cut and the audit row. Writes nothing where there is nothing to remove.
   * @param before the first instant of a month, UTC
   * @param verified the plan of the verified snapshot: nothing else is signed, even if the trail has changed since.
   *   Undefined: made from the present trail
   * @throws ServiceError 'database.unavailable' when a reader holds the trail for too long, 'audit.unverifiable' when
   *   the trail no longer matches the plan
   */
  prune(before: Date, act: Act, verified?: PruningPlan): Promise<Pruned> {
    return pruneTrail(this.#database, before, act, verified);
  }

  /** @returns the number of months that end before the month of an instant */
  async monthsBefore(instant: Date): Promise<number> {
    return (await partitionsBefore(this.#database.knex, instant)).length;
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

  async #find(filter: PartFilter, isLong = false): Promise<readonly AuditRow[]> {
    const { actor, action, subject, subjects = [], realm, outcome, client, requestId, transaction } = filter;
    if (!isStorable(actor, action, subject, ...subjects, realm, outcome, client, requestId, transaction)) {
      return [];
    }
    const query = searchQuery(this.#database.knex, filter);
    const read = async ({ sql }: UnitOfWork): Promise<Stored<AuditRow>[]> => {
      const found: unknown = await query.clone().transacting(sql);
      return found as Stored<AuditRow>[];
    };
    return (await this.#database.transact(read, { isLong })).map(toAuditRow);
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
  const { transaction, subjects, limit, offset = 0 } = filter;
  const query = knex('audit').select(knex.raw(AUDIT_COLUMNS)).limit(limit).offset(offset);
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
    .limit(filter.limit + (filter.offset ?? 0));
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
  { since, until, after }: Pick<AuditFilter, 'since' | 'until' | 'after'>,
): void {
  if (since !== undefined) {
    query.where('at', '>=', since);
  }
  if (until !== undefined) {
    query.where('at', '<', until);
  }
  if (after !== undefined) {
    // The first condition leaves out whole months, which the comparison of pairs does not.
    query
      .where('at', '<=', after.at)
      .whereRaw('(at, id) < (?::timestamptz, ?::bigint)', [after.at, after.id]);
  }
}
