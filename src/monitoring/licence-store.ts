import type { Act } from '../policy/caller.ts';
import type { Database } from '../database/database.ts';

interface LicenceRow {
  readonly text: string;
}

/** The one licence of the installation, in its original text. Every change has its audit row. */
export class LicenceStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  async installed(): Promise<string | undefined> {
    const row = await this.#database.knex('licence').first<LicenceRow | undefined>('text');
    return row?.text;
  }

  /**
   * Stores a licence in place of the present one.
   * @param audit subject and outcome of the audit row
   */
  async put(
    text: string,
    act: Act,
    { subject, outcome }: { readonly subject: string; readonly outcome: string },
  ): Promise<void> {
    await this.#database.transact(async ({ sql, audit }) => {
      await sql('licence').insert({ text, installed_at: sql.fn.now() }).onConflict('singleton').merge();
      await audit.write(act, subject, outcome);
    });
  }

  async remove(act: Act): Promise<boolean> {
    return this.#database.transact(async ({ sql, audit }) => {
      const removed = await sql('licence').delete();
      if (removed > 0) {
        await audit.write(act, 'licence', 'removed');
      }
      return removed > 0;
    });
  }
}
