import type { Knex } from 'knex';

import type { AuditRow } from './audit-row.ts';
import { AUDIT_COLUMNS, type Stored, toAuditRow } from './cursor-store.ts';

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

/** @see TransactionTrail.ofTransaction */
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
