import type { ClosedBy } from './challenge.ts';
import type { StoredTransaction } from './transaction-history.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../database/stored-text.ts';
import { REALMS_OF_TOKEN } from '../tokens/token-rows-store.ts';

interface TransactionRow {
  readonly serial: string;
  readonly realms: readonly string[];
  readonly data: string;
  readonly issued_at: Date;
  readonly closed_by: ClosedBy | null;
  readonly closed_at: Date | null;
}

/** Stored challenges by their transaction, in PostgreSQL. */
export class TransactionStore {
  readonly #database: Pick<Database, 'knex'>;

  constructor({ database }: { database: Pick<Database, 'knex'> }) {
    this.#database = database;
  }

  async find(transactionId: string): Promise<StoredTransaction | undefined> {
    if (!isStorable(transactionId)) {
      return undefined;
    }
    const { knex } = this.#database;
    const row = await knex('challenges')
      .join('tokens', 'tokens.id', 'challenges.token_id')
      .where('challenges.transaction_id', transactionId)
      .first<TransactionRow | undefined>(
        'tokens.serial',
        knex.raw(REALMS_OF_TOKEN),
        'challenges.data',
        'challenges.issued_at',
        'challenges.closed_by',
        'challenges.closed_at',
      );
    return (
      row && {
        serial: row.serial,
        realms: row.realms,
        data: row.data,
        issuedAt: row.issued_at,
        closedBy: row.closed_by,
        closedAt: row.closed_at,
      }
    );
  }
}
