import type { Knex } from 'knex';

import type { AuditRow } from './audit-row.ts';
import { AUDIT_COLUMNS, PLACE_COLUMNS, type Stored, toAuditRow } from './cursor-store.ts';
import type { AuditFilter, RowPlace } from './filter-values.ts';
import type { Database } from '../database/database.ts';
import { isCanceled } from '../database/database-faults.ts';
import { isStorable } from '../kernel/text.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';

/** The rows of one transaction. */
export interface TransactionRows {
  /** Oldest first. */
  readonly rows: readonly AuditRow[];
  /** The number of its rows that are not among them. */
  readonly more: number;
}

type CountedRow = Stored<AuditRow> & { readonly total: string; readonly foreign: string };

/**
 * The rows of one transaction by their index, in every month. MATERIALIZED keeps the planner from walking the index of
 * times instead, which it takes for shorter while its statistics are old. The index leaves out rows without a
 * transaction, and a plan for any value must know that none of them is wanted.
 */
export const ROWS_OF_TRANSACTION = `SELECT * FROM audit WHERE transaction_id = ? AND transaction_id <> ''`;

/** @see AuditStore.ofTransaction */
export async function transactionRows(
  knex: Knex,
  transaction: string,
  max: number,
  realms: readonly string[] | undefined,
): Promise<TransactionRows | undefined> {
  const foreign = realms === undefined ? 'false' : "NOT string_to_array(audit.realm, ',') && ?::text[]";
  const { rows } = await knex.raw<{ rows: CountedRow[] }>(
    `WITH audit AS MATERIALIZED (${ROWS_OF_TRANSACTION})
     SELECT ${AUDIT_COLUMNS}, count(*) OVER () AS total, count(*) FILTER (WHERE ${foreign}) OVER () AS "foreign"
     FROM audit ORDER BY audit.at, audit.id LIMIT ?`,
    [transaction, ...(realms === undefined ? [] : [[...realms]]), max],
  );
  if (rows.some((row) => row.foreign !== '0')) {
    return undefined;
  }
  return { rows: rows.map(toAuditRow), more: Number(rows[0]?.total ?? 0) - rows.length };
}

/** The rows that a step of a search has found. */
export interface FoundRows {
  /** Newest first. */
  readonly rows: readonly AuditRow[];
  /** The last row that was read, for `after` of the next step; null: the limit or the end of the trail is reached. */
  readonly reached: RowPlace | null;
}

/** By the columns, not by the text form of the time. */
const NEWEST_FIRST = 'audit.at DESC, audit.id DESC';

/** A search in a part of the trail. */
interface PartFilter extends AuditFilter {
  /** The last row of the part. */
  readonly through?: RowPlace | undefined;
}

/** Milliseconds in which an index may find a whole page. */
const TRIAL_MS = {
  /** Milliseconds of a statement that an index serves: a cold or busy database is slow. */
  indexed: 3_000,
  /** Milliseconds of a statement without an index. */
  other: 300,
};
/** Actions whose rows have an index of their own. */
const INDEXED_ACTIONS: readonly string[] = ['policy/set', 'policy/remove', 'backup/export'];
/**
 * The bounds of a search where no index helps: rows of the trail that are read at once, the number of such parts for a
 * page, and the milliseconds after which no further part is read for it.
 */
const PARTS = { rows: 50_000, parts: 4, time: 5_000 };

/** @see AuditStore.search */
export async function searchRows(database: Database, filter: AuditFilter): Promise<readonly AuditRow[]> {
  // Without a time limit, as rare rows are found by reading the whole table.
  return find(database, filter, { isLong: true });
}

/** @see AuditStore.searchStep */
export async function searchStep(
  database: Database,
  filter: AuditFilter,
  isRare = false,
): Promise<FoundRows> {
  const page =
    filter.transaction !== undefined
      ? await find(database, filter)
      : isRare
        ? undefined
        : await findQuickly(database, filter);
  return page === undefined ? await searchParts(database, filter) : { rows: page, reached: null };
}

/** Reads the trail part by part, from the newest row or that of `after` on. */
export async function searchParts(
  database: Database,
  filter: AuditFilter,
  bounds = PARTS,
): Promise<FoundRows> {
  const rows: AuditRow[] = [];
  const end = performance.now() + bounds.time;
  let { after } = filter;
  for (let part = 0; part < bounds.parts && (part === 0 || performance.now() < end); part += 1) {
    const through = await endOfPart(database, { ...filter, after }, bounds.rows);
    const limit = filter.limit - rows.length;
    rows.push(...(await find(database, { ...filter, after, through, limit })));
    if (through === undefined || rows.length >= filter.limit) {
      return { rows, reached: null };
    }
    after = through;
  }
  return { rows, reached: after ?? null };
}

/** @returns the place of the last row of the next part; undefined if fewer rows are left */
async function endOfPart(
  { knex }: Database,
  filter: Pick<AuditFilter, 'since' | 'until' | 'after'>,
  rows: number,
): Promise<RowPlace | undefined> {
  const query = knex('audit')
    .select(knex.raw(PLACE_COLUMNS))
    .offset(rows - 1)
    .limit(1);
  restrictTime(query, filter);
  const [row]: { at: string | null; id: string }[] = await query.orderByRaw(NEWEST_FIRST);
  return typeof row?.at === 'string' ? { at: row.at, id: row.id } : undefined;
}

/** @returns undefined if the rows are not found in time */
async function findQuickly(
  database: Database,
  filter: AuditFilter,
): Promise<readonly AuditRow[] | undefined> {
  try {
    return await find(database, filter, { timeoutMs: isIndexed(filter) ? TRIAL_MS.indexed : TRIAL_MS.other });
  } catch (error) {
    if (isCanceled(error)) {
      return undefined;
    }
    throw error;
  }
}

function isIndexed({ subject, actor, action = '' }: AuditFilter): boolean {
  return subject !== undefined || actor !== undefined || INDEXED_ACTIONS.includes(action);
}

async function find(
  database: Database,
  filter: PartFilter,
  { timeoutMs, isLong = false }: { readonly timeoutMs?: number; readonly isLong?: boolean } = {},
): Promise<readonly AuditRow[]> {
  const { actor, action, subject, realm, outcome, client, requestId, transaction } = filter;
  if (!isStorable(actor, action, subject, realm, outcome, client, requestId, transaction)) {
    return [];
  }
  const query = searchQuery(database.knex, filter);
  const read = async ({ sql }: UnitOfWork): Promise<Stored<AuditRow>[]> => {
    if (timeoutMs !== undefined) {
      await sql.raw(`SET LOCAL statement_timeout = ${timeoutMs}`);
    }
    const found: unknown = await query.clone().transacting(sql);
    return found as Stored<AuditRow>[];
  };
  return (await database.transact(read, { isLong })).map(toAuditRow);
}

/** @returns the statement of a search, without its time limit */
function searchQuery(knex: Knex, filter: PartFilter): Knex.QueryBuilder {
  const { actor, action, subject, realm, outcome, client, requestId, transaction } = filter;
  const query = knex('audit')
    .select(knex.raw(AUDIT_COLUMNS))
    .limit(filter.limit)
    .offset(filter.offset ?? 0);
  if (transaction !== undefined) {
    query.withMaterialized('audit', knex.raw(ROWS_OF_TRANSACTION, [transaction]));
  }
  const columns = { actor, action, subject, client, request_id: requestId };
  for (const [column, requested] of Object.entries(columns)) {
    if (requested !== undefined) {
      query.where(column, requested);
    }
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
  restrictTime(query, filter);
  if (filter.through !== undefined) {
    query
      .where('at', '>=', filter.through.at)
      .whereRaw('(at, id) >= (?::timestamptz, ?::bigint)', [filter.through.at, filter.through.id]);
  }
  return query.orderByRaw(NEWEST_FIRST);
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
