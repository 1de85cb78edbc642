import { z } from 'zod';
import type { TransactionEvent } from '../../challenges/transaction-history.ts';
import type { TransactionHistory, TransactionService } from '../../challenges/transaction-service.ts';
import { count } from '../answers.ts';
import type { AdministrationDialect } from '../dialects/dialect.ts';
import type { Endpoint } from '../endpoint-spec.ts';
import { required } from '../request/parameter-schemas.ts';
import { type Shown, valueReading } from '../value-endpoint.ts';

const EVENT = z.strictObject({
  at: z.string().describe('UTC, to the microsecond'),
  event: z.enum(['issued', 'wrong', 'accepted', 'given up', 'refused', 'expired', 'superseded', 'other']),
  reason: z.string().describe('in words; empty where the event says it all'),
  action: z.string().describe('the action of the audit row; empty for a derived event'),
  actor: z.string(),
  client: z.string(),
  requestid: z.string(),
  derived: z.boolean().describe('true: no audit row reports the event, it follows from the challenge'),
});

const TRANSACTION = z.strictObject({
  transactionid: z.string(),
  serial: z.string(),
  realms: z.array(z.string()),
  state: z.enum(['open', 'expired', 'accepted', 'given up', 'superseded', 'ended']),
  stored: z.boolean().describe('false: the challenge is removed, and the audit alone tells its history'),
  data: z.string().optional().describe('the display data'),
  withheld: z.boolean().describe('true: the caller lacks the right to the display data'),
  events: z.array(EVENT),
  more: count.describe('the number of further events that have no row'),
});

/** @returns the endpoint that tells what happened to a transaction */
export function transactionEndpoint(
  transactions: TransactionService,
  dialect: AdministrationDialect,
): Endpoint {
  return valueReading(
    dialect,
    {
      path: '/admin/transaction',
      summary: 'what happened to a transaction; its display data with `admin:transactiondata` only',
      requires: 'admin:transaction',
      value: TRANSACTION,
      purpose: 'tell what happened to a transaction.',
      parameters: { transactionid: required('the transaction') },
    },
    async ({ caller, parameters: { transactionid } }) =>
      shownHistory(await transactions.history(caller, transactionid)),
  );
}

/** `data` only where it is shown. */
function shownHistory(history: TransactionHistory): Shown<typeof TRANSACTION> {
  const { transactionId, serial, realms, state, isStored, data, isDataWithheld, events, more } = history;
  return {
    transactionid: transactionId,
    serial,
    realms,
    state,
    stored: isStored,
    ...(data === null ? {} : { data }),
    withheld: isDataWithheld,
    events: events.map(shownEvent),
    more,
  };
}

function shownEvent(one: TransactionEvent): Shown<typeof EVENT> {
  const { at, event, reason, action, actor, client, requestId, derived } = one;
  return { at, event, reason, action, actor, client, requestid: requestId, derived };
}
