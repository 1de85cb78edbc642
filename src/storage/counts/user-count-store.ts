import type { KeptUserCount, UserCountStore } from '../../monitoring/ports.ts';
import type { Database } from '../../database/database.ts';

interface UserCountRow {
  readonly resolver_id: string;
  readonly settings_hash: string;
  /** A bigint, as text. */
  readonly users: string;
  readonly counted_at: Date;
}

/** The last known numbers of users, in PostgreSQL: they survive a restart and are shared by all servers. */
export class SqlUserCountStore implements UserCountStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

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
