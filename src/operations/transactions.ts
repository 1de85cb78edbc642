import { HISTORY } from '../challenges/transaction-service.ts';
import { text } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

const showTransaction = operation({
  name: 'transaction show',
  does: 'what happened to a transaction, from its challenge and the audit; its display data with `admin:transactiondata` only',
  right: 'admin:transaction',
  changes: false,
  input: { transaction_id: text('the transaction', '0123456789ab') },
  output: HISTORY,
  run: ({ transactions }, caller, input) => transactions.history(caller, input.transaction_id),
});

export const TRANSACTIONS: OperationGroup = {
  name: 'transaction',
  about: 'transactions: challenges and the responses to them',
  operations: [showTransaction],
};
