import { z } from 'zod';
import type { TransactionService } from '../../challenges/transaction-service.ts';
import type { AdministrationDialect } from '../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../endpoint-spec.ts';
import { TRANSACTION } from './answers/audit-answers.ts';
import { required } from '../request/parameter-schemas.ts';

/** @returns the endpoint that tells what happened to a transaction */
export function transactionEndpoint(
  transactions: TransactionService,
  dialect: AdministrationDialect,
): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/transaction',
      methods: ['GET', 'POST'],
      summary: 'what happened to a transaction; its display data with `admin:transactiondata` only',
      requires: 'admin:transaction',
      answers: TRANSACTION,
      family: 'linotp2',
      usage: 'admin/transaction: tell what happened to a transaction.',
      changesState: false,
      parameters: z.object({ transactionid: required('the transaction') }),
    },
    async ({ caller, parameters: { transactionid }, context }) =>
      dialect.value(dialect.shapes.transaction(await transactions.history(caller, transactionid)), context),
  );
}
