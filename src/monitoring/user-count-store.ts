import type { Database } from '../database/database.ts';

/** Past number of users of a resolver. */
export interface UserCount {
  readonly users: number;
  readonly countedAt: Date;
}

/** A stored count, with the settings of its resolver at that time. */
export interface KeptUserCount extends UserCount {
  readonly resolverId: string;
  /** Identifies the settings: a resolver with other settings may hold other users. */
  readonly settingsHash: string;
}

interface UserCountRow {
  readonly resolver_id: string;
  readonly settings_hash: string;
  /** A bigint, as text. */
  readonly users: string;
  readonly counted_at: Date;
}

/** The last known numbers of users, in PostgreSQL: they survive a restart and are shared by all servers. */
export class UserCountStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** @returns the stored counts of these resolvers, also of earlier settings */
  async find(resolverIds: readonly string[]): Promise<readonly KeptUserCount[]> {
    const rows = await this.#database
      .knex('resolver_user_counts')
      .whereIn('resolver_id', resolverIds)
      .select<UserCountRow[]>('resolver_id', 'settings_hash', 'users', 'counted_at');
    return rows.map((row) => ({
      resolverId: row.resolver_id,
      settingsHash: row.settings_hash,
      users: Number(row.users),
      countedAt: row.counted_at,
    }));
  }

  /** Stores no row if the resolver is gone, or another server has counted later. */
  async keep({ resolverId, settingsHash, users, countedAt }: KeptUserCount): Promise<void> {
    await this.#database.knex.raw(
      `INSERT INTO resolver_user_counts AS kept (resolver_id, settings_hash, users, counted_at)
       SELECT id, ?, ?, ? FROM resolvers WHERE id = ? FOR KEY SHARE
       ON CONFLICT (resolver_id) DO UPDATE SET
         settings_hash = excluded.settings_hash, users = excluded.users, counted_at = excluded.counted_at
       WHERE kept.counted_at <= excluded.counted_at`,
      [settingsHash, users, countedAt, resolverId],
    );
  }
}
