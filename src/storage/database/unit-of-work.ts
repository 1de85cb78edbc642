import type { Knex } from 'knex';

import type { AuditRows } from '../audit/audit-rows.ts';
import { markLongWork } from './knex-internals.ts';

/**
 * Statements and the audit rows that belong to them. By default those of one transaction: all are committed or none.
 * A savepoint is no unit of work: its rollback would leave a gap in the chain of audit rows.
 */
export interface UnitOfWork<Sql extends Knex = Knex.Transaction> {
  readonly sql: Sql;
  readonly audit: AuditRows;
}

/**
 * Lifts the time limit of the further statements of this transaction: PostgreSQL's `statement_timeout` does not end
 * them, and the gate before the pool waits for them as `ConnectionGate.limitStatements` describes for long work.
 */
export async function beginLongWork(transaction: Knex.Transaction): Promise<void> {
  markLongWork(transaction);
  await transaction.raw('SET LOCAL statement_timeout = 0');
}
