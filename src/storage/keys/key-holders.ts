import type { Knex } from 'knex';

import type { KeyHolder } from '../../keys/key-administration.ts';
import type { Database } from '../database/database.ts';

/** A server that has not been seen for so long does not run any more. */
const LIVE = "seen_at > clock_timestamp() - interval '20 seconds'";
/** Rows of servers that ended without a word. */
const GONE = "seen_at < clock_timestamp() - interval '1 hour'";

interface HolderRow {
  readonly place: string;
  readonly key_ids: readonly string[];
  readonly sealing_key: string;
}

/** The table `key_holders`: which server has which keys. */
export class SqlKeyHolders {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** Says that the server runs and which keys it has. @param id of the process, unlike all others */
  async beat(id: string, { place, keyIds, sealingKey }: KeyHolder): Promise<void> {
    await this.#database.knex.raw(
      // Servers that slept at the same time would wait for each other's rows in a circle.
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

  /** Says that the server ends. */
  async leave(id: string): Promise<void> {
    await this.#database.knex('key_holders').where({ id }).delete();
  }
}

/** @returns the servers that run, by place */
export async function liveHolders(connection: Knex): Promise<readonly KeyHolder[]> {
  const rows = await connection('key_holders')
    .whereRaw(LIVE)
    .orderBy('place')
    .select<HolderRow[]>('place', 'key_ids', 'sealing_key');
  return rows.map(({ place, key_ids: keyIds, sealing_key: sealingKey }) => ({ place, keyIds, sealingKey }));
}
