import type { Knex } from 'knex';
import { ServiceError } from '../kernel/errors.ts';
import type { Act } from '../policy/caller.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { countByKey, resealAll, type Resealing } from './resealing-store.ts';
import type { KeySource, KeyState, NewKey, Progress, RegisteredKey, Vault } from './vault.ts';

/** The advisory lock of registering keys. "tank", "keys". */
const REGISTRATION_LOCK = [0x74616e6b, 0x6b657973] as const;
/** "keys", as in the function hold_sealing_key. */
const SEALING_LOCK = 0x6b657973;

/** Lets one transaction at a time change the set of keys, or the sealing one. */
export async function lockRegistration(sql: Knex.Transaction): Promise<void> {
  await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [...REGISTRATION_LOCK]);
}

interface KeyRow {
  readonly key_id: string;
  readonly canary: Buffer;
  readonly wrapped: Buffer | null;
  readonly wrapped_by: string | null;
  readonly created_at: Date;
  readonly is_current: boolean;
  readonly current_since: Date | null;
  readonly retired_at: Date | null;
}

function keyRows(connection: Knex): Promise<readonly KeyRow[]> {
  return connection('encryption_keys').orderBy(['created_at', 'key_id']).select<KeyRow[]>('*');
}

/** @returns the keys in the order in which they were registered */
export async function readKeys(connection: Knex): Promise<readonly RegisteredKey[]> {
  return (await keyRows(connection)).map(({ key_id: keyId, canary, wrapped: bytes, ...row }) => ({
    keyId,
    canary,
    ...(bytes !== null && row.wrapped_by !== null && { wrapped: { bytes, by: row.wrapped_by } }),
    ...(row.is_current && { isCurrent: true }),
    ...(row.retired_at !== null && { isRetired: true }),
  }));
}

/** Registers a key, or adds the wrapped form of a registered one. The first key of a database becomes the current one. */
async function register(connection: Knex, { keyId, canary, wrapped }: NewKey): Promise<void> {
  const isFirst = 'NOT EXISTS (SELECT FROM encryption_keys WHERE is_current)';
  await connection('encryption_keys')
    .insert({
      key_id: keyId,
      canary,
      wrapped: wrapped?.bytes ?? null,
      wrapped_by: wrapped?.by ?? null,
      is_current: connection.raw(isFirst),
      current_since: connection.raw(`CASE WHEN ${isFirst} THEN clock_timestamp() END`),
    })
    .onConflict('key_id')
    .merge(['wrapped', 'wrapped_by'])
    // The only copy of a key is never overwritten.
    .whereNull('encryption_keys.wrapped');
}

/** A key, with the number of secrets that are sealed with it. */
export interface CountedKey extends KeyState {
  readonly secrets: number;
}

/** The keys in the table `encryption_keys`, and the secrets in all others. */
export class KeyStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  registered(): Promise<readonly RegisteredKey[]> {
    return readKeys(this.#database.knex);
  }

  /**
   * Lets one server at a time read and register keys: on a first start only one makes a key. If `open` throws, nothing
   * was registered.
   * @param open may run more than once, when the database aborts a transaction
   */
  register<T>(
    open: (
      registered: readonly RegisteredKey[],
    ) => Promise<{ readonly added: readonly NewKey[]; readonly result: T }>,
  ): Promise<T> {
    const work = async ({ sql }: UnitOfWork): Promise<T> => {
      // Another server may be waiting for a key from a security module: this is no request, which would give up sooner.
      await sql.raw('SET LOCAL lock_timeout = 0');
      await lockRegistration(sql);
      const { added, result } = await open(await readKeys(sql));
      for (const key of added) {
        await register(sql, key);
      }
      return result;
    };
    return this.#database.transact(work, { isLong: true });
  }

  /** @returns the registered keys, oldest first */
  async entries(): Promise<readonly KeyState[]> {
    return (await keyRows(this.#database.knex)).map(toState);
  }

  /** Lists as `entries` does, with every key that seals a secret. Reads all secrets. */
  counted(): Promise<readonly CountedKey[]> {
    const read = async ({ sql }: UnitOfWork): Promise<readonly CountedKey[]> => {
      const registered = (await keyRows(sql)).map(toState);
      const counts = await countByKey(sql);
      const unknown = [...counts.keys()].filter((id) => registered.every(({ keyId }) => keyId !== id));
      const none = { createdAt: undefined, isCurrent: false, currentSince: undefined, retiredAt: undefined };
      return [...registered, ...unknown.map((keyId) => ({ keyId, ...none }))].map((key) => ({
        ...key,
        secrets: counts.get(key.keyId) ?? 0,
      }));
    };
    return this.#database.transact(read, { isLong: true });
  }

  /**
   * Registers the key that `provide` returns. Every server that starts later needs it.
   * @throws ServiceError 'key.refused' while an earlier key has never been current
   */
  add(provide: KeySource['provide'], act: Act): ReturnType<KeySource['provide']> {
    const add = async ({ sql, audit }: UnitOfWork): ReturnType<KeySource['provide']> => {
      await lockRegistration(sql);
      const waiting = (await keyRows(sql)).find(
        ({ current_since: since, retired_at: retired }) => since === null && retired === null,
      );
      if (waiting !== undefined) {
        throw new ServiceError(
          'key.refused',
          `The key ${waiting.key_id} was added and has never been used: let it be the current one (key rotate) first`,
        );
      }
      const key = await provide(await readKeys(sql));
      await register(sql, key);
      await audit.write(act, key.keyId, 'added');
      return key;
    };
    // A security module may take longer than a pause between statements may.
    return this.#database.transact(add, { isLong: true });
  }

  /** @returns false when it is the current one already */
  makeCurrent(keyId: string, act: Act): Promise<boolean> {
    return this.#database.transact(async ({ sql, audit }) => {
      await lockRegistration(sql);
      const isNew =
        (await sql('encryption_keys').where({ key_id: keyId, is_current: true }).first('key_id')) ===
        undefined;
      if (isNew) {
        await sql('encryption_keys').where({ is_current: true }).update({ is_current: false });
        await sql('encryption_keys')
          .where({ key_id: keyId })
          .update({ is_current: true, current_since: sql.raw('clock_timestamp()') });
        await audit.write(act, keyId, 'current');
      }
      return isNew;
    });
  }

  /**
   * Seals with the vault's current key every secret that is sealed with another one. May be interrupted and repeated at
   * any point.
   */
  async reseal(vault: Vault, progress: Progress, act: Act): Promise<Resealing> {
    const done = await resealAll(this.#database, vault, progress);
    const rest = done.left + done.unreadableCount;
    if (done.resealed + rest > 0) {
      await this.#database.transact(({ audit }) =>
        audit.write(act, vault.currentKeyId, `sealed ${done.resealed} anew, ${rest} left`),
      );
    }
    return done;
  }

  /**
   * @returns true if it was retired now, false if it was retired before
   * @throws ServiceError 'key.refused' when it is unknown, current, or still in use
   */
  retire(keyId: string, act: Act): Promise<boolean> {
    const retire = async ({ sql, audit }: UnitOfWork): Promise<boolean> => {
      // Each statement must see everything that was committed before it began.
      await sql.raw('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
      await lockRegistration(sql);
      // Waits for transactions that store secrets sealed with this key. A later one waits for this one, and is refused.
      await sql.raw('SELECT pg_advisory_xact_lock(?, hashtext(?))', [SEALING_LOCK, keyId]);
      const key = (await keyRows(sql)).find(({ key_id }) => key_id === keyId);
      if (key?.retired_at instanceof Date) {
        return false;
      }
      assertRetirable(keyId, key, (await countByKey(sql)).get(keyId) ?? 0);
      await sql('encryption_keys')
        .where({ key_id: keyId })
        .update({ retired_at: sql.raw('clock_timestamp()') });
      await audit.write(act, keyId, 'retired');
      return true;
    };
    return this.#database.transact(retire, { isLong: true });
  }
}

function assertRetirable(keyId: string, key: KeyRow | undefined, secrets: number): void {
  const seals = secrets === 1 ? '1 secret is' : `${secrets} secrets are`;
  const reason =
    key === undefined
      ? `There is no key ${keyId}`
      : key.is_current
        ? `The key ${keyId} is the current one: add another one and rotate first`
        : `The key ${keyId} is still needed: ${seals} sealed with it. Rotate first (key rotate)`;
  if (key === undefined || key.is_current || secrets > 0) {
    throw new ServiceError('key.refused', reason);
  }
}

function toState(row: KeyRow): KeyState {
  return {
    keyId: row.key_id,
    createdAt: row.created_at,
    isCurrent: row.is_current,
    currentSince: row.current_since ?? undefined,
    retiredAt: row.retired_at ?? undefined,
  };
}
