import type { Knex } from 'knex';

import { SharedWork } from './shared-work.ts';
import type { Database } from './database.ts';
import type { PreparedStatement } from './prepared-statements.ts';
import { refuseLate } from './sharing.ts';

/** Finds rows by a unique text, where requests that come at the same time share one statement. */
export class SharedLookup<Row> {
  readonly #shared: SharedWork<string, Row | undefined>;

  /**
   * @param name unique in the program
   * @param select selects the row in which a column is `requested.key`, which the caller adds as the condition
   */
  constructor(
    { prepared, sharing }: Pick<Database, 'prepared' | 'sharing'>,
    name: string,
    select: Knex.QueryBuilder,
  ) {
    const find = `CROSS JOIN LATERAL (${select.limit(1).toQuery()}) AS found`;
    const one: PreparedStatement<Row> = {
      name: `${name}-one`,
      text: `SELECT found.* FROM (SELECT $1::text AS key) AS requested ${find}`,
    };
    // LATERAL: one lookup in the index for each key, also while the tables are small or the plan is old.
    const many: PreparedStatement<Row & { readonly place: string }> = {
      name,
      text: `SELECT requested.place, found.*
        FROM json_array_elements_text($1::json) WITH ORDINALITY AS requested(key, place) ${find}`,
    };
    this.#shared = new SharedWork<string, Row | undefined>({
      ...sharing,
      refuse: refuseLate,
      work: async (keys) => {
        if (keys.length === 1) {
          const [value] = await prepared.run(one, keys);
          return [{ status: 'fulfilled', value }];
        }
        const rows = await prepared.run(many, [JSON.stringify(keys)]);
        const found = new Map(rows.map((row) => [Number(row.place) - 1, row]));
        return keys.map((_key, place) => ({ status: 'fulfilled', value: found.get(place) }));
      },
    });
  }

  /** @param key a text that the database can hold */
  find(key: string): Promise<Row | undefined> {
    return this.#shared.do(key);
  }
}
