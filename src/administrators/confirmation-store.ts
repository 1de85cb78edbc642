import { type SecondFactor, tokenIdOf } from './administrator.ts';
import type { CompleteProof } from './session.ts';
import type { Act } from '../policy/caller.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../kernel/text.ts';
import { countUse } from './passkey-store.ts';
import { Undone } from '../database/unit-of-work.ts';

/**
 * Logins whose owner has proven a moment ago, by password and second factor, to be the one who signed in. What ends the session of a login ends its
 * confirmation, too.
 */
export class ConfirmationStore {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  /** @param login the hash of its session */
  async isConfirmed(login: Buffer, now: Date): Promise<boolean> {
    const found: unknown = await this.#database
      .knex('sessions')
      .where({ session_hash: login, revoked_at: null })
      .where('expires_at', '>', now)
      .where('confirmed_until', '>', now)
      .first('id');
    return found !== undefined;
  }

  /**
   * Confirms a login of the administrator until then, and ends the attempt, both or none.
   * @param attempt the hash of the attempt that proved the second factor; undefined: the administrator has none
   * @returns false where the login or the attempt has ended, the password or the second factor has changed, the passkey
   *   was used meanwhile, or the login is another administrator's
   */
  async confirm(
    login: Buffer,
    {
      proven: { administrator, version },
      factor,
      used,
    }: Omit<CompleteProof, 'factor'> & { readonly factor: SecondFactor | undefined },
    { attempt, until }: { readonly attempt: Buffer | undefined; readonly until: Date },
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
             AND (second_factor IS DISTINCT FROM 'token' OR second_factor_token_id = :token::bigint)
           FOR SHARE`,
          { administrator, version, factor: factor?.kind ?? null, token: tokenIdOf(factor) ?? null },
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
