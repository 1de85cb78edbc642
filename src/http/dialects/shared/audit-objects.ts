import type { TransactionEvent } from '../../../challenges/transaction-history.ts';
import type { TransactionHistory } from '../../../challenges/transaction-service.ts';

/*
 * Objects of this service's own endpoints about the audit. They are the same in all dialects, as LinOTP has nothing
 * like them.
 */

/** @returns the history of a transaction; `data` only where it is shown */
export function transactionObject(history: TransactionHistory): Record<string, unknown> {
  const { transactionId, serial, realms, state, isStored, data, isDataWithheld, events, more } = history;
  return {
    transactionid: transactionId,
    serial,
    realms,
    state,
    stored: isStored,
    ...(data === null ? {} : { data }),
    withheld: isDataWithheld,
    events: events.map(eventObject),
    more,
  };
}

function eventObject(one: TransactionEvent): Record<string, unknown> {
  const { at, event, reason, action, actor, client, requestId, derived } = one;
  return { at, event, reason, action, actor, client, requestid: requestId, derived };
}
