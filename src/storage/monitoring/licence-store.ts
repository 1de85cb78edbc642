import type { Act } from '../../policy/caller.ts';
import type { LicenceStore } from '../../monitoring/ports.ts';
import { writeAudit } from '../audit/audit-rows.ts';
import type { Database } from '../database/database.ts';

interface Row {
  readonly text: string;
}

/** The table `licence`, which has one row or none. */
export class SqlLicenceStore implements LicenceStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  async installed(): Promise<string | undefined> {
    const row = await this.#database.knex('licence').first<Row | undefined>('text');
    return row?.text;
  }

  async put(
    text: string,
    act: Act,
    { subject, outcome }: { readonly subject: string; readonly outcome: string },
  ): Promise<void> {
    await this.#database.transact(async (transaction) => {
      await transaction('licence')
        .insert({ text, installed_at: transaction.fn.now() })
        .onConflict('singleton')
        .merge();
      await writeAudit(transaction, act, subject, outcome);
    });
  }

  async remove(act: Act): Promise<boolean> {
    return this.#database.transact(async (transaction) => {
      const removed = await transaction('licence').delete();
      if (removed > 0) {
        await writeAudit(transaction, act, 'licence', 'removed');
      }
      return removed > 0;
    });
  }
}
