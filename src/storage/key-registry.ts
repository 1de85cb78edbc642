import type { Knex } from 'knex';

import type { Database } from './database.ts';

/** A key that secrets in this database are sealed with. */
export interface RegisteredKey {
  readonly keyId: string;
  /** A known text sealed by it: who can open it has the key. */
  readonly canary: Buffer;
}

/** The list of keys. The keys themselves are never here. */
export interface KeyRegistry {
  /** @returns the keys in the order in which they were registered */
  registered(): Promise<readonly RegisteredKey[]>;
  /** @returns false when a key of that id is registered already; what is there is never overwritten */
  register(keyId: string, canary: Buffer): Promise<boolean>;
}

/** Whoever may register a key holds this advisory lock. "tank", "keys". */
const REGISTRATION_LOCK = [0x74616e6b, 0x6b657973] as const;

/** The table `encryption_keys`. */
export class SqlKeyRegistry implements KeyRegistry {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  registered(): Promise<readonly RegisteredKey[]> {
    return registered(this.#database.knex);
  }

  register(keyId: string, canary: Buffer): Promise<boolean> {
    return register(this.#database.knex, keyId, canary);
  }

  /**
   * Lets one server at a time look and register: on a first start only one makes a key. When `work` throws, nothing was
   * registered.
   * @param work is given the registry to use; may run more than once, when the database gives up a transaction
   */
  withRegistration<T>(work: (registry: KeyRegistry) => Promise<T>): Promise<T> {
    return this.#database.transact(async (transaction) => {
      await transaction.raw('SELECT pg_advisory_xact_lock(?, ?)', [...REGISTRATION_LOCK]);
      return work({
        registered: () => registered(transaction),
        register: (keyId, canary) => register(transaction, keyId, canary),
      });
    });
  }
}

async function registered(connection: Knex): Promise<readonly RegisteredKey[]> {
  const rows = await connection('encryption_keys')
    .orderBy(['created_at', 'key_id'])
    .select<{ key_id: string; canary: Buffer }[]>('key_id', 'canary');
  return rows.map((row) => ({ keyId: row.key_id, canary: row.canary }));
}

async function register(connection: Knex, keyId: string, canary: Buffer): Promise<boolean> {
  const inserted: unknown[] = await connection('encryption_keys')
    .insert({ key_id: keyId, canary })
    .onConflict('key_id')
    .ignore()
    .returning('key_id');
  return inserted.length > 0;
}
