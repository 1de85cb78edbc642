import type { Database } from '../database/database.ts';
import { isStorable } from '../kernel/text.ts';
import { REALMS_OF_TOKEN } from '../tokens/token-rows-store.ts';
import type { StoredTransaction } from './transaction-history.ts';

/** Reads stored challenges for their histories. */
export class TransactionStore {
  readonly #database: Pick<Database, 'knex'>;

  constructor({ database }: { readonly database: Pick<Database, 'knex'> }) {
    this.#database = database;
  }

  /** @returns a stored challenge by its transaction, without question and key */
  async find(transactionId: string): Promise<StoredTransaction | undefined> {
    if (!isStorable(transactionId)) {
      return undefined;
    }
    const { knex } = this.#database;
    return knex('challenges')
      .join('tokens', 'tokens.id', 'challenges.token_id')
      .where('challenges.transaction_id', transactionId)
      .first<StoredTransaction | undefined>(
        'tokens.serial',
        knex.raw(REALMS_OF_TOKEN),
        'challenges.data',
        'challenges.issued_at as issuedAt',
        'challenges.closed_by as closedBy',
        'challenges.closed_at as closedAt',
      );
  }
}
