import type { Knex } from 'knex';

import { ServiceError } from '../kernel/errors.ts';
import type { Database } from '../database/database.ts';
import { type AuditPeriod, type AuditRow, columnOf, ROW_MEMBERS } from './audit-row.ts';
import { BEFORE_ALL_IDS, type Checkpoint } from './checkpoint.ts';
import type { Pruning, Trail, TrailPart } from './verification.ts';

/** A row as the database returns it. */
export type StoredRow = Readonly<Record<keyof AuditRow, string | null>>;

/** The place of a row in the order of time. */
export const PLACE_COLUMNS = `id, ${utcText('at')} AS at`;

export const AUDIT_COLUMNS = ROW_MEMBERS.map(
  (member) => `${member === 'at' ? utcText('at') : columnOf(member)} AS "${member}"`,
).join(', ');

const CHECKPOINT_COLUMNS = `number::float8, ${utcText('at')} AS at, month, after_id AS "afterId", last_id AS "lastId",
  row_count AS rows, leaves, leaves_hash AS "leavesHash", prunes, vouches, prev_hash AS "prevHash", key_id AS "keyId",
  hash, signature`;

/** The program writes no nulls, but the owner of the table can. They read as what no column can hold. */
export function toAuditRow(row: StoredRow): AuditRow {
  return Object.fromEntries(ROW_MEMBERS.map((member) => [member, row[member] ?? '\0null'])) as Record<
    keyof AuditRow,
    string
  >;
}

/**
 * Infinity and years before Christ get a form of their own: to_char would omit them or confuse them with later years.
 * No two instants read the same.
 * @returns SQL that gives a timestamptz column in UTC to the microsecond, which a Date would cut off
 */
function utcText(column: string): string {
  const isOurs = `isfinite(${column}) AND ${column} >= '0002-01-01T00:00:00Z'`;
  return `CASE WHEN ${isOurs} THEN to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    ELSE ${column}::text END`;
}

export async function newestCheckpoint(sql: Knex): Promise<Checkpoint | undefined> {
  const { rows } = await sql.raw<{ rows: Checkpoint[] }>(
    `SELECT ${CHECKPOINT_COLUMNS} FROM audit_checkpoints ORDER BY audit_checkpoints.number DESC LIMIT 1`,
  );
  return rows[0];
}

export async function insertCheckpoint(sql: Knex.Transaction, checkpoint: Checkpoint): Promise<void> {
  const { rows, ...columns } = checkpoint;
  await sql('audit_checkpoints').insert({
    ...Object.fromEntries(Object.entries(columns).map(([member, value]) => [columnOf(member), value])),
    row_count: rows,
  });
}

/** @returns the first rows after an id, up to another one, in the order of their ids */
export async function rowsBetween(
  sql: Knex,
  { after, until, limit }: { readonly after: string; readonly until: string; readonly limit: number },
  period: AuditPeriod = {},
): Promise<readonly AuditRow[]> {
  const query = sql('audit')
    .select(sql.raw(AUDIT_COLUMNS))
    .whereRaw('audit.id > ?::bigint AND audit.id <= ?::bigint', [after, until])
    .orderBy('audit.id')
    .limit(limit);
  restrictPeriod(query, period);
  return ((await query) as StoredRow[]).map(toAuditRow);
}

export function restrictPeriod(query: Knex.QueryBuilder, { since, until }: AuditPeriod): void {
  if (since !== undefined) {
    query.where('audit.at', '>=', since);
  }
  if (until !== undefined) {
    query.where('audit.at', '<', until);
  }
}

export async function newestPruning(sql: Knex): Promise<Pruning | undefined> {
  const { rows } = await sql.raw<{ rows: Pruning[] }>(
    `SELECT number::float8, prunes AS before FROM audit_checkpoints WHERE prunes <> ''
     ORDER BY audit_checkpoints.number DESC LIMIT 1`,
  );
  return rows[0];
}

/** Runs the statements of one step, when it is their turn. */
export type StepRun = <Result>(step: () => Promise<Result>) => Promise<Result>;

const CHECKPOINTS_AT_ONCE = 20;
const ROWS_AT_ONCE = 1_000;
/** The most rows of a checkpoint. */
export const MAX_SEALED_ROWS = 1_000;

/**
 * Opens the trail, or the rows of a period, for reading in steps: between them a slow reader holds nothing in the
 * database. The stream fails with ServiceError 'server.busy' if months were pruned meanwhile.
 */
export async function openTrail(
  database: Database,
  period: AuditPeriod = {},
  run: StepRun = (step) => step(),
): Promise<Trail> {
  const pruning = await newestPruning(database.knex);
  const isWhole = period.since === undefined && period.until === undefined;
  return { isWhole, pruning, parts: readParts(database, { period, pruning, run }) };
}

interface Reading {
  readonly period: AuditPeriod;
  readonly pruning: Pruning | undefined;
  readonly run: StepRun;
}

async function* readParts(database: Database, reading: Reading): AsyncGenerator<TrailPart> {
  const { period, run } = reading;
  let last: Checkpoint | undefined;
  for (let isMore = true; isMore;) {
    const parts = await run(() => readStep(database, last?.number, period));
    yield* parts;
    last = parts.at(-1)?.checkpoint ?? last;
    isMore = parts.length === CHECKPOINTS_AT_ONCE;
  }
  yield* readUnsealed(database, last?.lastId ?? BEFORE_ALL_IDS, reading);
  if ((await newestPruning(database.knex))?.number !== reading.pruning?.number) {
    throw new ServiceError('server.busy', 'Months of the audit were removed meanwhile: begin again', {
      retryAfter: 1,
    });
  }
}

/** Reads the rows after the last checkpoint that are there now. */
async function* readUnsealed(
  { knex }: Database,
  lastId: string,
  { period, run }: Reading,
): AsyncGenerator<TrailPart> {
  const [end] = await run(() => knex('audit').max<{ max: string | null }[]>('id'));
  let after = lastId;
  for (let isMore = true; isMore;) {
    const bounds = { after, until: end?.max ?? BEFORE_ALL_IDS, limit: ROWS_AT_ONCE };
    const rows = await run(() => rowsBetween(knex, bounds, period));
    yield { checkpoint: undefined, rows };
    after = rows.at(-1)?.id ?? after;
    isMore = rows.length === ROWS_AT_ONCE;
  }
}

/** @returns the next checkpoints with their rows */
function readStep(
  database: Database,
  last: number | undefined,
  period: AuditPeriod,
): Promise<readonly TrailPart[]> {
  return database.transact(async ({ sql }) => {
    // All months: none is dropped, and no row moves to another one, between the statements.
    await sql.raw('LOCK TABLE audit IN ACCESS SHARE MODE');
    const query = sql('audit_checkpoints').select(sql.raw(CHECKPOINT_COLUMNS));
    restrictCheckpoints(query, last, period);
    const checkpoints = (await query) as Checkpoint[];
    const rows = await rowsOf(sql, checkpoints, period);
    return checkpoints.map((checkpoint) => ({ checkpoint, rows: rows.get(checkpoint.number) ?? [] }));
  });
}

function restrictCheckpoints(
  query: Knex.QueryBuilder,
  last: number | undefined,
  { since, until }: AuditPeriod,
): void {
  query.orderBy('audit_checkpoints.number').limit(CHECKPOINTS_AT_ONCE);
  if (last !== undefined) {
    query.where('audit_checkpoints.number', '>', last);
  }
  // A row is sealed after it was written.
  if (since !== undefined) {
    query.where('audit_checkpoints.at', '>=', since);
  }
  if (until !== undefined) {
    query.where('month', '<=', until.toISOString().slice(0, 7));
  }
}

/** @returns the rows of each checkpoint, by its number; of rows that were inserted behind it, a thousand at most */
async function rowsOf(
  sql: Knex.Transaction,
  checkpoints: readonly Checkpoint[],
  period: AuditPeriod,
): Promise<ReadonlyMap<number, AuditRow[]>> {
  const found = sql('audit')
    .select(sql.raw(AUDIT_COLUMNS))
    .whereRaw('audit.id > part.after_id AND audit.id <= part.last_id')
    .orderBy('audit.id')
    .limit(2 * MAX_SEALED_ROWS);
  restrictPeriod(found, period);
  const { rows } = await sql.raw<{ rows: (StoredRow & { number: number })[] }>(
    `SELECT part.number, found.* FROM unnest(?::float8[], ?::bigint[], ?::bigint[]) AS part(number, after_id, last_id)
     CROSS JOIN LATERAL (?) AS found`,
    [
      checkpoints.map(({ number }) => number),
      checkpoints.map(({ afterId }) => afterId),
      checkpoints.map(({ lastId }) => lastId),
      sql.raw('?', [found]),
    ],
  );
  const byNumber = new Map<number, AuditRow[]>();
  for (const row of rows) {
    const part = byNumber.get(row.number) ?? [];
    part.push(toAuditRow(row));
    byNumber.set(row.number, part);
  }
  return byNumber;
}
