import type { Knex } from 'knex';

import type { KeyRegistration, KeyRegistry, RegisteredKey, WrappedKey } from './vault.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';

/** The advisory lock of registering keys. "tank", "keys". */
const REGISTRATION_LOCK = [0x74616e6b, 0x6b657973] as const;

/** The table `encryption_keys`. */
export class KeyRegistryStore implements KeyRegistry, KeyRegistration {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  registered(): Promise<readonly RegisteredKey[]> {
    return readKeys(this.#database.knex);
  }

  register(keyId: string, canary: Buffer, wrapped?: WrappedKey): Promise<boolean> {
    return register(this.#database.knex, keyId, canary, wrapped);
  }

  addWrapped(keyId: string, wrapped: WrappedKey): Promise<boolean> {
    return addWrapped(this.#database.knex, keyId, wrapped);
  }

  /**
   * Lets one server at a time read and register keys: on a first start only one makes a key. If `work` throws, nothing
   * was registered.
   * @param work receives the registry to use; may run more than once, when the database aborts a transaction
   */
  withRegistration<T>(work: (registry: KeyRegistry) => Promise<T>): Promise<T> {
    const read = async ({ sql }: UnitOfWork): Promise<T> => {
      // Another server may be waiting for a key from a security module: this is no request, which would give up sooner.
      await sql.raw('SET LOCAL lock_timeout = 0');
      await lockRegistration(sql);
      return work({
        registered: () => readKeys(sql),
        register: (keyId, canary, wrapped) => register(sql, keyId, canary, wrapped),
        addWrapped: (keyId, wrapped) => addWrapped(sql, keyId, wrapped),
      });
    };
    return this.#database.transact(read, { isLong: true });
  }
}

/** Lets one transaction at a time change the set of keys, or the sealing one. */
export async function lockRegistration(sql: Knex.Transaction): Promise<void> {
  await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [...REGISTRATION_LOCK]);
}

interface KeyRow {
  readonly key_id: string;
  readonly canary: Buffer;
  readonly wrapped: Buffer | null;
  readonly wrapped_by: string | null;
  readonly is_current: boolean;
  readonly is_waiting: boolean;
  readonly is_retired: boolean;
}

/** @returns the keys in the order in which they were registered */
export async function readKeys(connection: Knex): Promise<readonly RegisteredKey[]> {
  const rows = await connection('encryption_keys')
    .orderBy(['created_at', 'key_id'])
    .select<KeyRow[]>(
      'key_id',
      'canary',
      'wrapped',
      'wrapped_by',
      'is_current',
      connection.raw('num_nonnulls(current_since, retired_at) = 0 AS is_waiting'),
      connection.raw('retired_at IS NOT NULL AS is_retired'),
    );
  return rows.map(({ key_id: keyId, canary, wrapped: bytes, wrapped_by: by, ...is }) => ({
    keyId,
    canary,
    ...(bytes !== null && by !== null && { wrapped: { bytes, by } }),
    ...(is.is_current && { isCurrent: true }),
    ...(is.is_waiting && { isWaiting: true }),
    ...(is.is_retired && { isRetired: true }),
  }));
}

/** The caller holds the lock of the registration, or handles the error when two servers register a first key. */
export async function register(
  connection: Knex,
  keyId: string,
  canary: Buffer,
  wrapped?: WrappedKey,
): Promise<boolean> {
  const isFirst = 'NOT EXISTS (SELECT FROM encryption_keys WHERE is_current)';
  const inserted: unknown[] = await connection('encryption_keys')
    .insert({
      key_id: keyId,
      canary,
      wrapped: wrapped?.bytes ?? null,
      wrapped_by: wrapped?.by ?? null,
      is_current: connection.raw(isFirst),
      current_since: connection.raw(`CASE WHEN ${isFirst} THEN clock_timestamp() END`),
    })
    .onConflict('key_id')
    .ignore()
    .returning('key_id');
  return inserted.length > 0;
}

async function addWrapped(connection: Knex, keyId: string, wrapped: WrappedKey): Promise<boolean> {
  const changed = await connection('encryption_keys')
    .where({ key_id: keyId })
    .whereNull('wrapped')
    .update({ wrapped: wrapped.bytes, wrapped_by: wrapped.by });
  return changed > 0;
}
