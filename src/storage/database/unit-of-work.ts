import type { Knex } from 'knex';

import type { AuditRows } from '../audit/audit-rows.ts';

/**
 * Statements and the audit rows that belong to them. By default those of one transaction: all are committed or none.
 * A savepoint is no unit of work: its rollback would leave a gap in the chain of audit rows.
 */
export interface UnitOfWork<Sql extends Knex = Knex.Transaction> {
  readonly sql: Sql;
  readonly audit: AuditRows;
}
