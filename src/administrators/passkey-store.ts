import type { Knex } from 'knex';

import type { Passkey, PasskeyCredential, UsedPasskey } from './passkey.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Act } from '../policy/caller.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../kernel/text.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { endOpened, lockAdministrator } from './session-store.ts';
import type { RememberedCredentials } from './remembered-credentials.ts';

/** The passkeys of administrators. */
export class PasskeyStore {
  readonly #database: Database;
  readonly #credentials: RememberedCredentials | undefined;

  constructor(options: { database: Database; credentials?: RememberedCredentials | undefined }) {
    this.#database = options.database;
    this.#credentials = options.credentials;
  }

  list(administrator: string): Promise<readonly Passkey[]> {
    return this.#of(administrator)
      .orderBy('passkeys.id')
      .select<Passkey[]>(
        'passkeys.id',
        'passkeys.name',
        'passkeys.created_at as createdAt',
        'last_used_at as lastUsedAt',
      );
  }

  credentials(administrator: string): Promise<readonly PasskeyCredential[]> {
    return this.#of(administrator)
      .orderBy('passkeys.id')
      .select<PasskeyCredential[]>(
        'credential_id as credentialId',
        'public_key as publicKey',
        this.#database.knex.raw('counter::float8 AS counter'),
        'transports',
      );
  }

  /**
   * Ends the registration and stores its passkey. The first one becomes the second factor, in place of a token, and
   * ends all sessions but the kept one.
   * @param hash of the registration
   * @returns false where the registration or the kept session has ended, the administrator is gone, or the passkey is
   *   known
   */
  async register(
    hash: Buffer,
    registered: PasskeyCredential & { readonly name: string; readonly administrator: string },
    keeps: Buffer | undefined,
    act: Act,
  ): Promise<boolean> {
    const { administrator, name } = registered;
    const work = async ({ sql, audit }: UnitOfWork): Promise<boolean> => {
      const owner = await lockAdministrator(sql, administrator);
      if (owner === undefined || !(await isOpen(sql, keeps))) {
        return false;
      }
      const ended = await sql('sign_in_attempts').where({ attempt_hash: hash }).delete();
      if (ended === 0) {
        return false;
      }
      const inserted: unknown[] = await sql('passkeys')
        .insert({
          administrator_id: owner.id,
          name,
          credential_id: registered.credentialId,
          public_key: Buffer.from(registered.publicKey),
          counter: registered.counter,
          transports: registered.transports,
        })
        .onConflict()
        .ignore()
        .returning('id');
      if (inserted.length === 0) {
        return false;
      }
      if (owner.second_factor !== 'passkey') {
        await sql('administrators')
          .where({ id: owner.id })
          .update({ second_factor: 'passkey', second_factor_serial: null, second_factor_token_id: null });
        await endOpened(sql, owner.id, keeps);
      }
      await audit.write(act, administrator, `passkey added: ${name}`);
      return true;
    };
    // Also after a failure, see `forget`.
    return this.#database.transact(work).finally(() => this.#credentials?.forget());
  }

  /**
   * Also ends the sign-ins under way, and all sessions but the kept one: the passkey may have opened them.
   * @throws ServiceError 'passkey.invalid' for the last one
   * @returns false for an unknown one
   */
  async remove(administrator: string, id: string, keeps: Buffer | undefined, act: Act): Promise<boolean> {
    const work = async ({ sql, audit }: UnitOfWork): Promise<boolean> => {
      const owner = await lockAdministrator(sql, administrator);
      const removed = owner && (await removeOne(sql, owner.id, id));
      if (owner === undefined || removed === undefined) {
        return false;
      }
      await endOpened(sql, owner.id, keeps);
      await audit.write(act, administrator, `passkey removed: ${removed.name}`);
      return true;
    };
    // Also after a failure, see `forget`.
    return this.#database.transact(work).finally(() => this.#credentials?.forget());
  }

  #of(administrator: string): Knex.QueryBuilder {
    return this.#database
      .knex('passkeys')
      .join('administrators', 'administrators.id', 'passkeys.administrator_id')
      .where('administrators.name', isStorable(administrator) ? administrator : '');
  }
}

/** @returns false for a session that was closed. It stays open until commit */
async function isOpen(sql: Knex.Transaction, session: Buffer | undefined): Promise<boolean> {
  const found: unknown =
    session === undefined ||
    (await sql('sessions').where({ session_hash: session, revoked_at: null }).forShare().first('id'));
  return found !== undefined;
}

/**
 * @returns undefined for an unknown passkey
 * @throws ServiceError 'passkey.invalid' for the last one
 */
async function removeOne(
  sql: Knex.Transaction,
  administratorId: string,
  id: string,
): Promise<{ readonly name: string } | undefined> {
  const owned = { administrator_id: administratorId };
  const [removed] = await sql('passkeys')
    .where({ id, ...owned })
    .delete()
    .returning<{ name: string }[]>('name');
  const another: unknown = await sql('passkeys').where(owned).first('id');
  if (removed !== undefined && another === undefined) {
    throw new ServiceError(
      'passkey.invalid',
      'The last passkey stays: add another one first, or ask an operator (tankeeper second-factor remove)',
    );
  }
  return removed;
}

/** @returns false if the passkey was used meanwhile, or is gone */
export async function countUse(
  sql: Knex.Transaction,
  { credentialId, counterBefore, counter }: UsedPasskey,
): Promise<boolean> {
  const counted = await sql('passkeys')
    .where({ credential_id: credentialId, counter: counterBefore })
    .update({ counter, last_used_at: sql.fn.now() });
  return counted > 0;
}
