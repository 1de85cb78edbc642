import type { Knex } from 'knex';

import { type AuditRow, type Kinds, type MemberKind, ROW_KINDS, columnOf } from './audit-row.ts';
import { type JournalRecord, RECORD_KINDS } from './journal-record.ts';
import type { AuditSnapshot, StoredSnapshot } from './verify-trail.ts';
import type { AuditPeriod } from './filter-values.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Database } from '../database/database.ts';
import { readByCursor } from '../database/unit-of-work.ts';
import { planPruning } from './pruning-store.ts';

const AT_ONCE = 200;
const NULLS = { text: '\0null', digits: '\0null', instant: '\0null', bytes: Buffer.from('\0null') };

/** A row or record as the database returns it, under the names of its members; bigint comes as text. */
export type Stored<Kept> = Readonly<Record<keyof Kept, string | number | Buffer | null>>;

/** The place of a row in the order of time. */
export const PLACE_COLUMNS = `id, ${utcText('at')} AS at`;

export const AUDIT_COLUMNS = columnsOf(ROW_KINDS);

const JOURNAL_COLUMNS = columnsOf(RECORD_KINDS);

/** The order in which a trail is verified. */
const BY_PLACE = 'ORDER BY writer, lane, seq, id';

export function toAuditRow(row: Stored<AuditRow>): AuditRow {
  return readStored<AuditRow>(ROW_KINDS, row);
}

function toJournalRecord(row: Stored<JournalRecord>): JournalRecord {
  return readStored<JournalRecord>(RECORD_KINDS, row);
}

function columnsOf(kinds: Readonly<Record<string, MemberKind>>): string {
  return Object.entries(kinds)
    .map(([member, kind]) => {
      const column = columnOf(member);
      return `${kind === 'instant' ? utcText(column) : column} AS "${member}"`;
    })
    .join(', ');
}

/** The program writes no nulls, but the owner of the table can. They read as what no column can hold. */
function readStored<Kept>(kinds: Kinds<Kept>, row: Stored<Kept>): Kept {
  const read = Object.entries<MemberKind>(kinds).map(([member, kind]) => {
    const value = row[member as keyof Kept];
    return [member, kind === 'number' ? Number(value ?? -1) : (value ?? NULLS[kind])];
  });
  return Object.fromEntries(read) as Kept;
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

/** Runs the statements of one step, when it is their turn. */
export type StepRun = <Result>(step: () => Promise<Result>) => Promise<Result>;

interface TrailEnd {
  /** The number of the newest record of the journal. */
  readonly record: string;
  /** The last place of each lane, in the order of writer and lane. */
  readonly lanes: readonly LaneEnd[];
}

/** The last place of a lane. bigint is text. */
interface LaneEnd {
  readonly writer: string;
  readonly lane: number;
  readonly seq: string;
}

/** A row with its whole place: only the owner of the table can store two with the same id. */
type PlacedRow = Stored<AuditRow> & { readonly placed_at: string };

/*
 * The last row of each lane, lane by lane from the end of the index: the number of lanes decides on its time, not the
 * number of rows.
 */
const HEADS = `
  WITH RECURSIVE head AS (
    (SELECT writer, lane, seq FROM audit ORDER BY writer DESC, lane DESC, seq DESC LIMIT 1)
    UNION ALL
    SELECT before.* FROM head CROSS JOIN LATERAL (
      SELECT writer, lane, seq FROM audit WHERE (writer, lane) < (head.writer, head.lane)
      ORDER BY writer DESC, lane DESC, seq DESC LIMIT 1
    ) AS before
  )
  SELECT writer, lane, seq FROM head ORDER BY writer, lane`;

const NULLABLE = `SELECT attname FROM pg_attribute
  WHERE attrelid = 'audit'::regclass AND attname IN ('writer', 'lane', 'seq', 'id', 'at') AND NOT attnotnull`;

export function snapshotIn(sql: Knex.Transaction): StoredSnapshot {
  return {
    planPruning: (before) => planPruning(sql, before),
    installation: async () => ({
      administrators: await sql('administrators').orderBy('name').pluck<string[]>('name'),
      keyIds: await sql('encryption_keys').orderBy(['created_at', 'key_id']).pluck<string[]>('key_id'),
    }),
    records: async function* () {
      const statement = `SELECT ${JOURNAL_COLUMNS} FROM audit_journal ORDER BY number`;
      for await (const rows of readByCursor<Stored<JournalRecord>>(sql, 'journal_records', statement)) {
        yield rows.map(toJournalRecord);
      }
    },
    rows: async function* (period: AuditPeriod = {}) {
      const statement = `SELECT ${AUDIT_COLUMNS} FROM audit ${within(period)} ${BY_PLACE}`;
      for await (const rows of readByCursor<Stored<AuditRow>>(sql, 'audit_rows', statement)) {
        yield rows.map(toAuditRow);
      }
    },
  };
}

/** Writes instants as digits: a cursor's statement takes no bindings. */
function within({ since, until }: AuditPeriod): string {
  const conditions = [
    ...(since === undefined ? [] : [`at >= '${since.toISOString()}'`]),
    ...(until === undefined ? [] : [`at < '${until.toISOString()}'`]),
  ];
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}

/** @see AuditStore.readInSteps */
export async function readInSteps<T>(
  database: Database,
  work: (snapshot: AuditSnapshot) => Promise<T>,
  run: StepRun,
): Promise<T> {
  const end = await run(() => endOfTrail(database));
  const result = await work({
    records: () => recordsUntil(database, end, run),
    rows: (period) => rowsUntil(database, end, run, period),
  });
  const pruned: unknown = await database
    .knex('audit_journal')
    .where({ kind: 'prune' })
    .where('number', '>', end.record)
    .first('number');
  if (pruned !== undefined) {
    throw new ServiceError('server.busy', 'Months of the audit were removed meanwhile: begin again', {
      retryAfter: 1,
    });
  }
  return result;
}

function endOfTrail(database: Database): Promise<TrailEnd> {
  return database.transact(async ({ sql }) => {
    await sql.raw('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const { rows: nullable } = await sql.raw<{ rows: unknown[] }>(NULLABLE);
    if (nullable.length > 0) {
      // Rows without a place are in no order of places.
      throw new ServiceError(
        'audit.unverifiable',
        'The table of the audit was altered: verify it by `tankeeper audit verify`',
      );
    }
    const { rows: lanes } = await sql.raw<{ rows: LaneEnd[] }>(HEADS);
    const newest = await sql('audit_journal').max<{ max: string | null }[]>('number');
    return { record: newest[0]?.max ?? '0', lanes };
  });
}

async function* recordsUntil(
  { knex }: Database,
  end: TrailEnd,
  run: StepRun,
): AsyncGenerator<readonly JournalRecord[]> {
  // Numbers that only an attacker has written may be negative.
  let last: Knex.Value | undefined;
  for (;;) {
    const query = knex('audit_journal')
      .select(knex.raw(JOURNAL_COLUMNS))
      .where('number', '<=', end.record)
      .orderBy('number')
      .limit(AT_ONCE);
    if (last !== undefined) {
      query.where('number', '>', last);
    }
    const found: unknown = await run(async (): Promise<unknown> => query);
    const rows = found as Stored<JournalRecord>[];
    yield rows.map(toJournalRecord);
    last = rows.at(-1)?.number ?? undefined;
    if (rows.length < AT_ONCE) {
      return;
    }
  }
}

/** Rows that were appended after the end are in no lane of it, or behind its last place. */
async function* rowsUntil(
  { knex }: Database,
  { lanes }: TrailEnd,
  run: StepRun,
  period: AuditPeriod = {},
): AsyncGenerator<readonly AuditRow[]> {
  for (const lane of lanes) {
    let last: PlacedRow | undefined;
    for (let isMore = true; isMore;) {
      const query = rowsOfLane(knex, lane, last, period);
      const found: unknown = await run(async (): Promise<unknown> => query);
      const rows = found as PlacedRow[];
      yield rows.map(toAuditRow);
      last = rows.at(-1);
      isMore = rows.length === AT_ONCE;
    }
  }
}

/** Within one lane: the planner expects no row of a comparison that begins with the writer, and sorts all of them. */
function rowsOfLane(
  knex: Knex,
  { writer, lane, seq }: LaneEnd,
  last: PlacedRow | undefined,
  { since, until }: AuditPeriod,
): Knex.QueryBuilder {
  const query = knex('audit')
    .select(knex.raw(AUDIT_COLUMNS), knex.raw('audit.at::text AS placed_at'))
    .where({ writer, lane })
    .where('seq', '<=', seq)
    .orderByRaw('writer, lane, seq, id, audit.at')
    .limit(AT_ONCE);
  if (last !== undefined) {
    query.whereRaw('(seq, id, audit.at) > (?::bigint, ?::bigint, ?::timestamptz)', [
      last.seq,
      last.id,
      last.placed_at,
    ]);
  }
  if (since !== undefined) {
    query.where('audit.at', '>=', since);
  }
  if (until !== undefined) {
    query.where('audit.at', '<', until);
  }
  return query;
}
