import { type SecondFactor, serialOf } from './administrator.ts';
import type { Act } from '../policy/caller.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../kernel/text.ts';
import type { ConfirmedCredentials } from './confirmed-credentials-store.ts';
import { endSignIns } from './session-store.ts';

/** The columns of `administrators` that hold the second factor. */
export interface SecondFactorRow {
  readonly second_factor: SecondFactor['kind'] | null;
  readonly second_factor_serial: string | null;
}

/** @returns the second factor of a row of `administrators` */
export function secondFactorOf({
  second_factor: kind,
  second_factor_serial: serial,
}: SecondFactorRow): SecondFactor | undefined {
  return kind === null ? undefined : kind === 'token' ? { kind, serial: serial ?? '' } : { kind };
}

/** The second factors of administrators. */
export class SecondFactorStore {
  readonly #database: Database;
  readonly #credentials: ConfirmedCredentials | undefined;

  constructor(options: { database: Database; credentials?: ConfirmedCredentials | undefined }) {
    this.#database = options.database;
    this.#credentials = options.credentials;
  }

  /**
   * Also ends all sessions of the administrator and the sign-ins under way. Without a factor, and with a token, removes
   * the passkeys.
   * @returns false for an unknown administrator
   */
  async set(administrator: string, factor: SecondFactor | undefined, act: Act): Promise<boolean> {
    const serial = serialOf(factor) ?? null;
    if (!isStorable(administrator, serial ?? '')) {
      return false;
    }
    try {
      return await this.#database.transact(async (unit) => {
        const { sql, audit } = unit;
        const [changed] = await sql('administrators')
          .where({ name: administrator })
          .update({ second_factor: factor?.kind ?? null, second_factor_serial: serial })
          .returning<{ id: string }[]>('id');
        if (changed === undefined) {
          return false;
        }
        const owned = { administrator_id: changed.id };
        if (factor?.kind !== 'passkey') {
          await sql('passkeys').where(owned).delete();
        }
        await endSignIns(unit, changed.id);
        await sql('sessions')
          .where({ ...owned, revoked_at: null })
          .update({ revoked_at: sql.fn.now() });
        await audit.write(
          act,
          administrator,
          factor === undefined
            ? 'second factor removed'
            : `second factor: ${factor.kind} ${serial ?? ''}`.trim(),
        );
        return true;
      });
    } finally {
      // Also after a failure: it may be a commit whose confirmation was lost.
      this.#credentials?.expire();
    }
  }
}
