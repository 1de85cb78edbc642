import type { Knex } from 'knex';
import type { AuditRows } from '../audit/rows-store.ts';

/**
 * Statements and the audit rows that belong to them, of one transaction: all are committed or none.
 */
export interface UnitOfWork {
  readonly sql: Knex.Transaction;
  readonly audit: AuditRows;
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
