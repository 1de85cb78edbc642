import type { Knex } from 'knex';
import { storableForm } from '../kernel/text.ts';
import type { PreparedStatement, RunPrepared } from '../database/prepared-statements.ts';
import type { Act } from '../policy/caller.ts';
import { eventInsert, type EventRow } from '../webhooks/outbox-store.ts';
import type { NotedEntry } from '../webhooks/webhook-event.ts';
import { type AuditEntry, columnOf, type NewAuditRow, ROW_MEMBERS } from './audit-row.ts';

/** The column of each member of a new row, its type, and its name in a row of JSON. */
const NEW_COLUMNS = ROW_MEMBERS.filter((member) => member !== 'id').map((member) => ({
  member,
  column: columnOf(member),
  type: member === 'at' ? 'timestamptz' : 'text',
  field: `audit_${columnOf(member)}`,
}));

const INSERTED = NEW_COLUMNS.map(({ column }) => column).join(', ');
/** With a prefix, as some names stand for other columns of a request, too. */
const FIELDS = NEW_COLUMNS.map(({ field }) => field).join(', ');

/** The fields of a row in `json_to_recordset`, with their types (`addAuditFields`). */
export const AUDIT_FIELDS = NEW_COLUMNS.map(({ field, type }) => `${field} ${type}`).join(', ');

/**
 * The rows of one transaction by their index, in every month. MATERIALIZED keeps the planner from walking the index of
 * times instead, which it takes for shorter while its statistics are old. The index leaves out rows without a
 * transaction, and a plan for any value must know that none of them is wanted.
 */
export const ROWS_OF_TRANSACTION = `SELECT * FROM audit WHERE transaction_id = ? AND transaction_id <> ''`;

/**
 * @param written the part of WITH that has the places of the requests that are written
 * @returns the parts of WITH that store their audit rows, from `request`, and their events, from a parameter
 */
export function auditParts(written: string, eventsParameter: string): string {
  return `audited AS (
      INSERT INTO audit (${INSERTED}) SELECT ${FIELDS} FROM request JOIN ${written} USING (place) RETURNING id
    ), events AS (
      ${eventInsert(eventsParameter, `JOIN ${written} USING (place)`)}
    )`;
}

const INSERT: PreparedStatement<never> = {
  name: 'audit_insert',
  text: `WITH audited AS (
      INSERT INTO audit (${INSERTED}) SELECT ${FIELDS} FROM json_to_recordset($1::json) AS row(${AUDIT_FIELDS})
    ) ${eventInsert('$2')}`,
};

/**
 * @param subject the object of the act: a serial, a realm's name. Never a secret
 * @param outcome the result of the act, in a word or two. Never a secret
 * @param realms the realms of the subject
 */
export function auditEntry(
  act: Act,
  subject: string,
  outcome: string,
  realms: readonly string[] = [],
): AuditEntry {
  const { actor, action, client, requestId, transaction = '' } = act;
  const realm = realms.join(',');
  return storableEntry({ actor, action, subject, realm, outcome, client, requestId, transaction });
}

/**
 * @param kind of what is configured, as the acts name it: `policy`, `realm`, …
 * @returns who has changed one of the subjects last; `somebody else` where the audit does not say it any more
 */
export async function lastChangedBy(
  sql: Knex.Transaction,
  kind: string,
  subjects: readonly string[],
): Promise<string> {
  const row = await sql('audit')
    .whereIn('subject', subjects)
    .whereIn('action', [`${kind}/set`, `${kind}/remove`])
    .orderBy([
      { column: 'at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .first<{ actor: string } | undefined>('actor');
  return row?.actor ?? 'somebody else';
}

export function storableEntry(entry: AuditEntry): AuditEntry {
  return {
    actor: storableForm(entry.actor),
    action: storableForm(entry.action),
    subject: storableForm(entry.subject),
    realm: storableForm(entry.realm),
    outcome: storableForm(entry.outcome),
    client: storableForm(entry.client),
    requestId: storableForm(entry.requestId),
    transaction: storableForm(entry.transaction),
  };
}

/** @returns `fields`, to which `AUDIT_FIELDS` of the row were added */
export function addAuditFields(fields: Record<string, unknown>, row: NewAuditRow): Record<string, unknown> {
  for (const { member, field } of NEW_COLUMNS) {
    fields[field] = row[member];
  }
  return fields;
}

/**
 * Stores rows.
 * @param run puts a statement on the connection of the rows
 * @param events must be stored by the same statement
 * @returns false if nothing was stored
 */
export type StoreRows = (
  rows: readonly NewAuditRow[],
  run: RunPrepared,
  events: readonly EventRow[],
) => Promise<boolean>;

/** Dates entries for a statement that writes them, and whatever depends on them. @returns the result of `store` */
type WriteRows = (entries: readonly NotedEntry[], store: StoreRows) => Promise<boolean>;

/** Writes audit rows, with their events: those of a unit of work, or each call in a transaction of its own. */
export class AuditRows {
  /** For a statement that also writes other rows. */
  readonly writeBy: WriteRows;

  constructor(writeBy: WriteRows) {
    this.writeBy = writeBy;
  }

  /** Writes one row. The parameters are those of `auditEntry`. */
  async write(act: Act, subject: string, outcome: string, realms: readonly string[] = []): Promise<void> {
    await this.writeAll([auditEntry(act, subject, outcome, realms)]);
  }

  async writeAll(entries: readonly NotedEntry[]): Promise<void> {
    await this.writeBy(entries, async (rows, run, events) => {
      await run(INSERT, [JSON.stringify(rows.map((row) => addAuditFields({}, row))), JSON.stringify(events)]);
      return true;
    });
  }
}
