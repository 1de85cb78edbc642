import type { Knex } from 'knex';
import type { Act } from '../policy/caller.ts';
import type {
  KeyHolder,
  KeyState,
  NewKey,
  Progress,
  RegisteredKey,
  Resealing,
  SealingVault,
  KeyRegistration,
  KeyRegistry,
  WrappedKey,
} from './vault.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { countByKey, resealAll } from './resealing-store.ts';

/** A server seen within this time runs. */
const LIVE = "seen_at > clock_timestamp() - interval '20 seconds'";
/** A row of a server that ended without notice. */
const GONE = "seen_at < clock_timestamp() - interval '1 hour'";

interface HolderRow {
  readonly place: string;
  readonly key_ids: readonly string[];
  readonly sealing_key: string;
}

/** @returns the running servers, by place */
export async function liveHolders(connection: Knex): Promise<readonly KeyHolder[]> {
  const rows = await connection('key_holders')
    .whereRaw(LIVE)
    .orderBy('place')
    .select<HolderRow[]>('place', 'key_ids', 'sealing_key');
  return rows.map(({ place, key_ids: keyIds, sealing_key: sealingKey }) => ({ place, keyIds, sealingKey }));
}

/** The advisory lock of registering keys. "tank", "keys". */
const REGISTRATION_LOCK = [0x74616e6b, 0x6b657973] as const;

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
async function register(
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

/** "keys", as in the function hold_sealing_key. */
const SEALING_LOCK = 0x6b657973;

interface StateRow {
  readonly key_id: string;
  readonly created_at: Date;
  readonly is_current: boolean;
  readonly current_since: Date | null;
  readonly retired_at: Date | null;
}

/** The keys in the tables `encryption_keys` and `key_holders`, and the secrets in all others. */
export class KeyStore implements KeyRegistry, KeyRegistration {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
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

  /** Records that the server runs, and its keys. @param id of the process, unlike all others */
  async beat(id: string, { place, keyIds, sealingKey }: KeyHolder): Promise<void> {
    await this.#database.knex.raw(
      // Servers that slept at the same time could deadlock on each other's rows.
      `WITH gone AS (
         DELETE FROM key_holders WHERE id = ANY (ARRAY(
           SELECT id FROM key_holders WHERE ${GONE} AND id <> :id FOR UPDATE SKIP LOCKED)))
       INSERT INTO key_holders (id, place, key_ids, sealing_key, seen_at)
       VALUES (:id, :place, :keyIds::text[], :sealingKey, clock_timestamp())
       ON CONFLICT (id) DO UPDATE
       SET key_ids = excluded.key_ids, sealing_key = excluded.sealing_key, seen_at = excluded.seen_at`,
      { id, place, keyIds: [...keyIds], sealingKey },
    );
  }

  /** Records that the server ends. */
  async leave(id: string): Promise<void> {
    await this.#database.knex('key_holders').where({ id }).delete();
  }

  /** @returns the registered keys, oldest first */
  async entries(): Promise<readonly Omit<KeyState, 'secrets'>[]> {
    return (await stateRows(this.#database.knex)).map(toEntry);
  }

  /** Lists as `entries` does, with every key that seals a secret. Reads all secrets. */
  states(): Promise<readonly KeyState[]> {
    const read = async ({ sql }: UnitOfWork): Promise<readonly KeyState[]> => {
      const rows = await stateRows(sql);
      const counts = await countByKey(sql);
      const unknown = [...counts].filter(([keyId]) => !rows.some(({ key_id }) => key_id === keyId));
      return [
        ...rows.map((row) => ({ ...toEntry(row), secrets: counts.get(row.key_id) ?? 0 })),
        ...unknown.map(([keyId, secrets]) => unregistered(keyId, secrets)),
      ];
    };
    return this.#database.transact(read, { isLong: true });
  }

  /** @returns the running servers */
  holders(): Promise<readonly KeyHolder[]> {
    return liveHolders(this.#database.knex);
  }

  /** Registers the key that `provide` returns, one at a time. Every server that starts later needs it. */
  add(provide: (known: readonly RegisteredKey[]) => Promise<NewKey>, act: Act): Promise<NewKey> {
    const add = async ({ sql, audit }: UnitOfWork): Promise<NewKey> => {
      await lockRegistration(sql);
      const key = await provide(await readKeys(sql));
      if (!(await register(sql, key.keyId, key.canary, key.wrapped))) {
        throw new ServiceError('key.refused', `The key ${key.keyId} is registered already`);
      }
      await audit.write(act, key.keyId, 'added');
      return key;
    };
    // A security module may take longer than a pause between statements may.
    return this.#database.transact(add, { isLong: true });
  }

  /**
   * @returns false when it is the current one already
   * @throws ServiceError 'key.refused' when it is unknown or retired
   */
  makeCurrent(keyId: string, act: Act): Promise<boolean> {
    return this.#database.transact(async ({ sql, audit }) => {
      await lockRegistration(sql);
      const key = (await stateRows(sql)).find(({ key_id }) => key_id === keyId);
      if (key?.retired_at !== null) {
        throw new ServiceError(
          'key.refused',
          key === undefined ? `There is no key ${keyId}` : `The key ${keyId} is retired`,
        );
      }
      if (key.is_current) {
        return false;
      }
      await sql('encryption_keys').where({ is_current: true }).update({ is_current: false });
      await sql('encryption_keys')
        .where({ key_id: keyId })
        .update({ is_current: true, current_since: sql.raw('clock_timestamp()') });
      await audit.write(act, keyId, 'current');
      return true;
    });
  }

  /**
   * Seals with the vault's current key every secret that is sealed with another one. May be interrupted and repeated at
   * any point.
   */
  async reseal(vault: SealingVault, progress: Progress, act: Act): Promise<Resealing> {
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
      const key = (await stateRows(sql)).find(({ key_id }) => key_id === keyId);
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

function assertRetirable(keyId: string, key: StateRow | undefined, secrets: number): void {
  if (key === undefined) {
    throw new ServiceError('key.refused', `There is no key ${keyId}`);
  }
  if (key.is_current) {
    throw new ServiceError(
      'key.refused',
      `The key ${keyId} is the current one: add another one and rotate first`,
    );
  }
  if (secrets > 0) {
    const what = secrets === 1 ? '1 secret is' : `${secrets} secrets are`;
    throw new ServiceError(
      'key.refused',
      `The key ${keyId} is still needed: ${what} sealed with it. Rotate first (keys rotate)`,
    );
  }
}

function stateRows(connection: Knex): Promise<readonly StateRow[]> {
  return connection('encryption_keys')
    .orderBy(['created_at', 'key_id'])
    .select<StateRow[]>('key_id', 'created_at', 'is_current', 'current_since', 'retired_at');
}

function toEntry(row: StateRow): Omit<KeyState, 'secrets'> {
  return {
    keyId: row.key_id,
    addedAt: row.created_at,
    isCurrent: row.is_current,
    currentSince: row.current_since ?? undefined,
    retiredAt: row.retired_at ?? undefined,
  };
}

function unregistered(keyId: string, secrets: number): KeyState {
  return {
    keyId,
    addedAt: undefined,
    isCurrent: false,
    currentSince: undefined,
    retiredAt: undefined,
    secrets,
  };
}
