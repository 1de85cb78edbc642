import type { Knex } from 'knex';

import type { SealBody } from '../accounts/audit/journal-record.ts';
import { UnsignedDigest } from '../accounts/audit/row-check.ts';
import { AUDIT_COLUMNS, BY_PLACE, readByCursor, type StoredAuditRow, toAuditRow } from './audit-cursor.ts';

/** @returns what is there of rows without a signature, from an instant on where one is given */
export async function digestUnsigned(transaction: Knex.Transaction, since?: Date): Promise<SealBody> {
  const digest = new UnsignedDigest();
  const period = since === undefined ? '' : `AND audit.at >= '${since.toISOString()}'`;
  const statement = `SELECT ${AUDIT_COLUMNS} FROM audit WHERE writer = 0 ${period} ${BY_PLACE}`;
  for await (const rows of readByCursor<StoredAuditRow>(transaction, 'unsigned_rows', statement)) {
    rows.forEach((row) => {
      digest.take(toAuditRow(row));
    });
  }
  return { rows: digest.rows, newest: digest.newest, digest: digest.digest() };
}
