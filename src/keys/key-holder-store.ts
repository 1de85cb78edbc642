import type { Knex } from 'knex';

import type { KeyHolder } from './vault.ts';
import type { Database } from '../database/database.ts';

/** A server seen within this time runs. */
const LIVE = "seen_at > clock_timestamp() - interval '20 seconds'";
/** A row of a server that ended without notice. */
const GONE = "seen_at < clock_timestamp() - interval '1 hour'";

interface HolderRow {
  readonly place: string;
  readonly key_ids: readonly string[];
  readonly sealing_key: string;
}

/** The table `key_holders`: the servers and the keys that they have. */
export class KeyHolderStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
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
}

/** @returns the running servers, by place */
export async function liveHolders(connection: Knex): Promise<readonly KeyHolder[]> {
  const rows = await connection('key_holders')
    .whereRaw(LIVE)
    .orderBy('place')
    .select<HolderRow[]>('place', 'key_ids', 'sealing_key');
  return rows.map(({ place, key_ids: keyIds, sealing_key: sealingKey }) => ({ place, keyIds, sealingKey }));
}
