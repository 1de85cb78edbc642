import type { ConfirmationStore } from '../../administrators/sign-in-ports.ts';
import { serialOf } from '../../administrators/second-factor.ts';
import type { Act } from '../../policy/caller.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../database/stored-text.ts';
import { countUse } from './passkey-use.ts';
import { Undone } from '../database/undone.ts';

/** Confirmed logins in PostgreSQL. What ends the session of a login ends its confirmation, too. */
export class SqlConfirmationStore implements ConfirmationStore {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  async isConfirmed(login: Buffer, now: Date): Promise<boolean> {
    const found: unknown = await this.#database
      .knex('sessions')
      .where({ session_hash: login, revoked_at: null })
      .where('expires_at', '>', now)
      .where('confirmed_until', '>', now)
      .first('id');
    return found !== undefined;
  }

  async confirm(
    login: Buffer,
    { proven: { administrator, version }, factor, used }: Parameters<ConfirmationStore['confirm']>[1],
    { attempt, until }: Parameters<ConfirmationStore['confirm']>[2],
    act: Act,
  ): Promise<boolean> {
    if (!isStorable(administrator)) {
      return false;
    }
    return Undone.catch(() =>
      this.#database.transact(async ({ sql, audit }) => {
        // The administrator's row is locked first, as by all who change it.
        const { rows } = await sql.raw<{ rows: { id: string }[] }>(
          `SELECT id FROM administrators
           WHERE name = :administrator AND sha256(convert_to(password_hash, 'UTF8')) = :version
             AND second_factor IS NOT DISTINCT FROM :factor::text
             AND second_factor_serial IS NOT DISTINCT FROM :serial::text
           FOR SHARE`,
          { administrator, version, factor: factor?.kind ?? null, serial: serialOf(factor) ?? null },
        );
        const [owner] = rows;
        const confirmed =
          owner === undefined
            ? 0
            : await sql('sessions')
                .where({ session_hash: login, administrator_id: owner.id, revoked_at: null })
                .update({ confirmed_until: until });
        const isEnded =
          attempt === undefined ||
          (await sql('sign_in_attempts').where({ attempt_hash: attempt }).delete()) > 0;
        if (confirmed === 0 || !isEnded || (used !== undefined && !(await countUse(sql, used)))) {
          throw new Undone();
        }
        await audit.write(act, administrator, 'confirmed');
        return true;
      }),
    );
  }
}
