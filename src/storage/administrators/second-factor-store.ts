import { type SecondFactor, serialOf } from '../../administrators/second-factor.ts';
import type { SecondFactorStore } from '../../administrators/sign-in-ports.ts';
import type { Act } from '../../policy/caller.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../database/stored-text.ts';
import type { ConfirmedCredentials } from './confirmed-credentials.ts';
import { endSignIns } from './sign-in-store.ts';

/** The second factors of administrators in PostgreSQL. */
export class SqlSecondFactorStore implements SecondFactorStore {
  readonly #database: Database;
  readonly #credentials: ConfirmedCredentials | undefined;

  constructor(options: { database: Database; credentials?: ConfirmedCredentials | undefined }) {
    this.#database = options.database;
    this.#credentials = options.credentials;
  }

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
