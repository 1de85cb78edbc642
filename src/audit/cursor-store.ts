import type { Knex } from 'knex';

import { type AuditRow, type Kinds, type MemberKind, ROW_KINDS, columnOf } from './audit-row.ts';
import { type JournalRecord, RECORD_KINDS } from './journal-record.ts';

/** Rows that one FETCH returns. */
const AT_ONCE = 200;
const NULLS = { text: '\0null', digits: '\0null', instant: '\0null', bytes: Buffer.from('\0null') };

/** A row or record as the database returns it, under the names of its members; bigint comes as text. */
export type Stored<Kept> = Readonly<Record<keyof Kept, string | number | Buffer | null>>;

/** The place of a row in the order of time. */
export const PLACE_COLUMNS = `id, ${utcText('at')} AS at`;

/** The columns of `Stored` rows. */
export const AUDIT_COLUMNS = columnsOf(ROW_KINDS);

/** The columns of `Stored` records. */
export const JOURNAL_COLUMNS = columnsOf(RECORD_KINDS);

/** The order in which a trail is verified. */
export const BY_PLACE = 'ORDER BY writer, lane, seq, id';

/** @returns the rows that the statement finds, fetched in batches, in one snapshot of the transaction */
export async function* readByCursor<Row>(
  transaction: Knex.Transaction,
  name: string,
  statement: string,
): AsyncGenerator<readonly Row[]> {
  await transaction.raw(`DECLARE ${name} NO SCROLL CURSOR FOR ${statement}`);
  for (;;) {
    const { rows } = await transaction.raw<{ rows: Row[] }>(`FETCH ${AT_ONCE} FROM ${name}`);
    if (rows.length > 0) {
      yield rows;
    }
    if (rows.length < AT_ONCE) {
      await transaction.raw(`CLOSE ${name}`);
      return;
    }
  }
}

export function toAuditRow(row: Stored<AuditRow>): AuditRow {
  return readStored<AuditRow>(ROW_KINDS, row);
}

export function toJournalRecord(row: Stored<JournalRecord>): JournalRecord {
  return readStored<JournalRecord>(RECORD_KINDS, row);
}

/** @returns the columns of `Stored` rows or records */
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
