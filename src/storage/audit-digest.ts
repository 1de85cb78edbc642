import type { Knex } from 'knex';

import type { SealBody } from '../accounts/audit/journal-record.ts';
import { UnsignedDigest } from '../accounts/audit/row-check.ts';
import { AUDIT_COLUMNS, BY_PLACE, readByCursor, type StoredAuditRow, toAuditRow } from './audit-cursor.ts';

/** @returns what is there of rows without a signature */
export async function digestUnsigned(transaction: Knex.Transaction): Promise<SealBody> {
  const digest = new UnsignedDigest();
  const statement = `SELECT ${AUDIT_COLUMNS} FROM audit WHERE writer = 0 ${BY_PLACE}`;
  for await (const rows of readByCursor<StoredAuditRow>(transaction, 'unsigned_rows', statement)) {
    rows.forEach((row) => {
      digest.take(toAuditRow(row));
    });
  }
  return { rows: digest.rows, newest: digest.newest, digest: digest.digest() };
}
