import type { Knex } from 'knex';

import type { AuditRow } from '../accounts/audit/audit-row.ts';
import { utcText } from './utc-text.ts';

/** How many rows come over at once. */
const AT_ONCE = 1_000;

/** A row of the trail as the database gives it. bigint comes as text. */
export interface StoredAuditRow {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly realm: string;
  readonly outcome: string;
  readonly client: string;
  readonly request_id: string;
  readonly writer: string;
  readonly lane: number;
  readonly seq: string;
  readonly prev_digest: Buffer;
  readonly digest: Buffer;
  readonly signature: Buffer;
}

export const AUDIT_COLUMNS = `id, ${utcText('at')}, actor, action, subject, realm, outcome, client, request_id,
  writer, lane, seq, prev_digest, digest, signature`;

/** The order in which a trail is verified. */
export const BY_PLACE = 'ORDER BY writer, lane, seq, id';

/** @returns what the statement finds, some rows at a time, in one snapshot of the transaction */
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
  const { id, at, actor, action, subject, realm, outcome, client, lane, signature } = row;
  return {
    ...{ id, at, actor, action, subject, realm, outcome, client, lane, signature },
    requestId: row.request_id,
    writer: Number(row.writer),
    seq: Number(row.seq),
    prevHash: row.prev_digest,
    hash: row.digest,
  };
}
