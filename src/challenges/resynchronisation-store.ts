import type { Knex } from 'knex';

import type { Act } from '../policy/caller.ts';
import type { TokenStateChange } from '../tokens/token.ts';
import type { QuestionedToken } from './resynchronisation.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../database/stored-text.ts';
import { withLockedTokens } from '../tokens/token-locks-store.ts';
import { selectTokens, stateColumns, type TokenRow, toToken } from '../tokens/token-rows-store.ts';

/** Changes of tokens that depend on their present state, under the lock of their row, which is also that of their challenges. */
export class LockedTokens {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  /**
   * @param decide returns the change, or null for none; both are audited
   * @returns true if there was a change, undefined when there is no such token
   */
  async change(
    serial: string,
    decide: (found: QuestionedToken) => TokenStateChange | null,
    act: Act,
  ): Promise<boolean | undefined> {
    if (!isStorable(serial)) {
      return undefined;
    }
    return this.#database.transact(({ sql, audit }) =>
      withLockedTokens(sql, { serials: [serial] }, async () => {
        const found = await findQuestioned(sql, serial);
        if (found === undefined) {
          return undefined;
        }
        const change = decide(found);
        if (change !== null) {
          await sql('tokens').where({ id: found.token.id }).update(stateColumns(change));
        }
        await audit.write(act, serial, change === null ? 'refused' : 'done', found.token.realms);
        return change !== null;
      }),
    );
  }
}

async function findQuestioned(connection: Knex, serial: string): Promise<QuestionedToken | undefined> {
  const row = (await selectTokens(connection).where('tokens.serial', serial).first()) as TokenRow | undefined;
  if (row === undefined) {
    return undefined;
  }
  const latest = await connection('challenges')
    .where({ token_id: row.id })
    .orderBy('id', 'desc')
    .limit(2)
    .select<{ question: string }[]>('question');
  return { token: toToken(row), questions: latest.map(({ question }) => question) };
}
