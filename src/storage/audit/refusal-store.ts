import type { AuditEntry } from '../../audit/audit-row.ts';
import type { RefusalStore } from '../../audit/ports.ts';
import { storableEntry } from './audit-rows.ts';
import type { Database } from '../database/database.ts';

/** Rows of refusals in PostgreSQL. */
export class SqlRefusalStore implements RefusalStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  async writeRefusals(entries: readonly AuditEntry[]): Promise<void> {
    await this.#database.autocommit.audit.writeAll(entries.map(storableEntry));
  }
}
