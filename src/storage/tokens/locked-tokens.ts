import type { Knex } from 'knex';

import type { Act } from '../../policy/caller.ts';
import type { TokenStateChange } from '../../tokens/token.ts';
import type { LockedTokens, QuestionedToken } from '../../challenges/ports.ts';
import type { Database } from '../../database/database.ts';
import { isStorable } from '../../database/stored-text.ts';
import { withLockedTokens } from './token-locks.ts';
import { selectTokens, stateColumns, type TokenRow, toToken } from './token-rows.ts';

/** Changes tokens in PostgreSQL under the lock of their row, which is also the lock of their challenges. */
export class SqlLockedTokens implements LockedTokens {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

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
