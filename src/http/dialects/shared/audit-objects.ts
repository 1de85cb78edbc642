import type { AuditPage } from '../../../audit/audit-search.ts';
import type { VerificationOverview } from '../../../audit/audit-verification.ts';
import type { VerificationRecord } from '../../../audit/verification-record.ts';
import type { TransactionEvent } from '../../../challenges/transaction-history.ts';
import type { TransactionHistory } from '../../../challenges/transaction-service.ts';

/*
 * Objects of this service's own endpoints about the audit. They are the same in all dialects, as LinOTP has nothing
 * like them.
 */

/** @returns a page of audit rows, without their signatures, and the cursor of the next page */
export function auditObject({ rows, next }: AuditPage): Record<string, unknown> {
  return {
    rows: rows.map(({ id, at, actor, action, subject, realm, outcome, client, requestId, transaction }) => ({
      id,
      at,
      actor,
      action,
      serial: subject,
      realm,
      outcome,
      client,
      request: requestId,
      transactionid: transaction,
    })),
    next,
  };
}

/** @returns a verification of the trail */
export function verificationObject(record: VerificationRecord): Record<string, unknown> {
  return {
    id: record.id,
    state: record.state,
    begun: record.begunAt.toISOString(),
    begun_by: record.begunBy,
    ended: record.endedAt?.toISOString() ?? null,
    rows: record.rows,
    of: Math.max(record.rows, record.of),
    records: record.records,
    newest: record.newest,
    checkpoint: record.checkpoint,
    findings: record.findings,
    listed: record.listed.map((finding) => ({ ...finding })),
    reason: record.reason,
  };
}

/** @returns the newest verification, null if there was none yet, and the keys of the installation in Base64 */
export function verificationOverview({ newest, publicKeys }: VerificationOverview): Record<string, unknown> {
  return {
    verification: newest === undefined ? null : verificationObject(newest),
    keys: publicKeys.map((key) => key.toString('base64')),
  };
}

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
