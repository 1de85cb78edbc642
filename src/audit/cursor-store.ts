import type { Knex } from 'knex';

import type { AuditRow } from './audit-row.ts';

/** Rows that one FETCH returns. */
const AT_ONCE = 1_000;

/**
 * A row of the trail as the database returns it. bigint comes as text; nulls only where an attacker has written them.
 */
export interface StoredAuditRow {
  readonly id: string;
  readonly at: string | null;
  readonly actor: string | null;
  readonly action: string | null;
  readonly subject: string | null;
  readonly realm: string | null;
  readonly outcome: string | null;
  readonly client: string | null;
  readonly request_id: string | null;
  readonly transaction_id: string | null;
  readonly writer: string | null;
  readonly lane: number | null;
  readonly seq: string | null;
  readonly prev_hash: Buffer | null;
  readonly hash: Buffer | null;
  readonly signature: Buffer | null;
}

/** The place of a row in the order of time. */
export const PLACE_COLUMNS = `id, ${utcText('at')}`;

export const AUDIT_COLUMNS = `${PLACE_COLUMNS}, actor, action, subject, realm, outcome, client, request_id,
  transaction_id, writer, lane, seq, prev_hash, hash, signature`;

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

export function toAuditRow(row: StoredAuditRow): AuditRow {
  return {
    id: row.id,
    at: text(row.at),
    actor: text(row.actor),
    action: text(row.action),
    subject: text(row.subject),
    realm: text(row.realm),
    outcome: text(row.outcome),
    client: text(row.client),
    requestId: text(row.request_id),
    transaction: text(row.transaction_id),
    writer: Number(row.writer ?? -1),
    lane: row.lane ?? -1,
    seq: Number(row.seq ?? -1),
    prevHash: bytes(row.prev_hash),
    hash: bytes(row.hash),
    signature: bytes(row.signature),
  };
}

/** The program writes no nulls, but the owner of the table can. They read as a text that no column can hold. */
function text(value: string | null): string {
  return value ?? '\0null';
}

function bytes(value: Buffer | null): Buffer {
  return value ?? Buffer.from('\0null');
}

/**
 * Infinity and years before Christ get a form of their own: to_char would omit them or confuse them with later years.
 * No two instants read the same.
 * @returns SQL that gives a timestamptz column in UTC to the microsecond, which a Date would cut off
 */
export function utcText(column: string): string {
  const isOurs = `isfinite(${column}) AND ${column} >= '0002-01-01T00:00:00Z'`;
  return `CASE WHEN ${isOurs} THEN to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    ELSE ${column}::text END AS at`;
}
