import { z } from 'zod';
import { EVENT_KINDS, TRANSACTION_STATES } from '../challenges/transaction-service.ts';
import { text } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

const EVENT = z.object({
  at: z.string().meta({ column: 'TIME', description: 'UTC, to the microsecond' }),
  event: z.enum(EVENT_KINDS).meta({ column: 'EVENT' }),
  reason: z.string().meta({ column: 'REASON', description: 'in words; empty where the event says it all' }),
  action: z
    .string()
    .meta({ column: 'ACTION', description: 'the action of the audit row; empty for a derived event' }),
  actor: z.string().meta({ column: 'ACTOR' }),
  client: z.string().meta({ column: 'CLIENT' }),
  requestId: z.string().meta({ column: 'REQUEST' }),
  isDerived: z.boolean().describe('true: no audit row reports the event, it follows from the challenge'),
});

const showTransaction = operation({
  name: 'transaction show',
  does: 'what happened to a transaction, from its challenge and the audit; its display data with `admin:transactiondata` only',
  right: 'admin:transaction',
  changes: false,
  input: { transaction_id: text('the transaction', '0123456789ab') },
  output: z.object({
    transactionId: z.string(),
    serial: z.string(),
    realms: z.array(z.string()),
    state: z.enum(TRANSACTION_STATES),
    isStored: z.boolean().describe('false: the challenge is removed, and the audit alone tells its history'),
    data: z.string().nullable().describe('the display data; null: not stored any more, or withheld'),
    isDataWithheld: z.boolean().describe('true: the caller lacks the right to the display data'),
    code: z
      .string()
      .nullable()
      .describe('what the QR code of an open challenge says, for callers with `ocra:request`, too'),
    events: z.array(EVENT).meta({ column: 'Events' }),
    furtherEvents: z.int().nonnegative().describe('the number of further events that have no row here'),
  }),
  run: ({ transactions }, caller, input) => transactions.history(caller, input.transaction_id),
});

export const TRANSACTIONS: OperationGroup = {
  name: 'transaction',
  about: 'transactions: challenges and the responses to them',
  operations: [showTransaction],
};
