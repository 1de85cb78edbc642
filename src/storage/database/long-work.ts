import type { Knex } from 'knex';

/** What Knex puts the statements of one transaction through. */
interface TransactionClient {
  isLongWork?: boolean;
}

/**
 * From now on, statements of this transaction may take longer than any of a request: neither the database ends them at its
 * time-out nor the gate before the pool soon after. What else ends them: `ConnectionGate.limitStatements`.
 */
export async function beginLongWork(transaction: Knex.Transaction): Promise<void> {
  const { client } = transaction as { client: TransactionClient };
  client.isLongWork = true;
  await transaction.raw('SET LOCAL statement_timeout = 0');
}

/** @param client of a pool or a transaction */
export function isLongWork(client: unknown): boolean {
  return (client as TransactionClient).isLongWork === true;
}
