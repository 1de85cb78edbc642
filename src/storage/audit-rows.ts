import type { Knex } from 'knex';

import type { Act } from '../accounts/caller.ts';
import { storableForm } from './stored-text.ts';

/** A row of the audit trail, without the time, which is the database's. */
export interface AuditRow {
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly outcome: string;
  readonly client: string;
  readonly request_id: string;
}

/**
 * @param subject what the act was about: a serial, a realm's name. Never a secret
 * @param outcome what came of it, in a word or two. Never a secret
 */
export function auditRow(act: Act, subject: string, outcome: string): AuditRow {
  return {
    actor: storableForm(act.actor),
    action: storableForm(act.action),
    subject: storableForm(subject),
    outcome: storableForm(outcome),
    client: storableForm(act.client),
    request_id: storableForm(act.requestId),
  };
}

/** Writes an audit row, in the transaction of the act where `connection` is one. */
export async function writeAudit(
  connection: Knex,
  act: Act,
  subject: string,
  outcome: string,
): Promise<void> {
  await connection('audit').insert(auditRow(act, subject, outcome));
}
