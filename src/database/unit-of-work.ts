import type { Knex } from 'knex';
import type { AuditRows } from '../audit/rows-store.ts';

/**
 * Statements and the audit rows that belong to them, of one transaction: all are committed or none.
 */
export interface UnitOfWork {
  readonly sql: Knex.Transaction;
  readonly audit: AuditRows;
}

/**
 * Lifts the time limits of this transaction: PostgreSQL ends neither its further statements nor a pause between them,
 * as a backup makes for a slow disk.
 */
export async function beginLongWork(transaction: Knex.Transaction): Promise<void> {
  const limits = ['statement_timeout', 'idle_in_transaction_session_timeout'];
  const { version = '' } = transaction.client as Knex.Client;
  if (Number.parseInt(version, 10) >= 17) {
    limits.push('transaction_timeout');
  }
  // No query: work may still choose its isolation level.
  await transaction.raw(limits.map((name) => `SET LOCAL ${name} = 0`).join('; '));
}

export class Undone extends Error {
  /** @returns the result of the work; false where it was undone */
  static async catch(work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Undone) {
        return false;
      }
      throw error;
    }
  }
}
