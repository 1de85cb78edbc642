import type { Knex } from 'knex';
import type { Database } from '../database/database.ts';
import { isStorable } from '../kernel/text.ts';
import type { Act } from '../policy/caller.ts';
import { findToken, stateColumns, withLockedTokens } from '../tokens/token-rows-store.ts';
import type { TokenStateChange } from '../tokens/token.ts';
import type { QuestionedToken } from './resynchronisation.ts';

/** Resynchronises tokens. */
export class ResynchronisationStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /**
   * Changes a token by its present state and the questions of its last challenges, under its lock.
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
        const token = await findToken(sql, { serial });
        if (token === undefined) {
          return undefined;
        }
        const change = decide({ token, questions: await lastQuestions(sql, token.id) });
        if (change !== null) {
          await sql('tokens').where({ id: token.id }).update(stateColumns(change));
        }
        await audit.write(act, serial, change === null ? 'refused' : 'done', token.realms);
        return change !== null;
      }),
    );
  }
}

/** @returns the newest first, two at most */
async function lastQuestions(connection: Knex, tokenId: string): Promise<readonly string[]> {
  return connection('challenges')
    .where({ token_id: tokenId })
    .orderBy('id', 'desc')
    .limit(2)
    .pluck<string[]>('question');
}
