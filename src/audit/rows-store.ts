import { eventInsert, type EventOutbox, type EventRow } from '../webhooks/outbox-store.ts';
import type { Knex } from 'knex';

import { type AuditEntry, type AuditRow, columnOf, ROW_KINDS, ROW_MEMBERS } from './audit-row.ts';
import type { Act } from '../policy/caller.ts';
import type { NotedEntry } from '../webhooks/webhook-event.ts';
import { storableForm } from '../kernel/text.ts';

const TYPES = { text: 'text', digits: 'bigint', instant: 'timestamptz', number: 'bigint', bytes: 'bytea' };
/** The column of each member of a row, its type, and its name in a row of JSON. */
const AUDIT_COLUMNS = ROW_MEMBERS.map((member) => ({
  member,
  column: columnOf(member),
  type: TYPES[ROW_KINDS[member]],
  field: `audit_${columnOf(member)}`,
}));

const INSERTED = AUDIT_COLUMNS.map(({ column }) => column).join(', ');
/** With a prefix, as some names stand for other columns of a request, too. */
const FIELDS = AUDIT_COLUMNS.map(({ field }) => field).join(', ');

/** The fields of a signed row in `json_to_recordset`, with their types (`addAuditFields`). */
export const AUDIT_FIELDS = AUDIT_COLUMNS.map(({ field, type }) => `${field} ${type}`).join(', ');

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

const INSERT_FROM_JSON = `INSERT INTO audit (${INSERTED})
  SELECT ${FIELDS} FROM json_to_recordset(?::json) AS row(${AUDIT_FIELDS})`;
const INSERT_WITH_EVENTS = `WITH audited AS (${INSERT_FROM_JSON}) ${eventInsert('?')}`;

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

/** @returns the same in a form that the database can store */
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
export function addAuditFields(fields: Record<string, unknown>, row: AuditRow): Record<string, unknown> {
  for (const { member, field } of AUDIT_COLUMNS) {
    const value = row[member];
    fields[field] = Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value;
  }
  return fields;
}

/**
 * Stores signed rows by a statement of its own.
 * @param on puts the statement on the connection of the rows
 * @param events must be stored by the same statement
 * @returns false if nothing was stored
 */
type StoreRows = (
  rows: readonly AuditRow[],
  on: <Result>(statement: Knex.Raw<Result>) => Knex.Raw<Result>,
  events: readonly EventRow[],
) => Promise<boolean>;

/** Stores signed rows, see `StoreRows`. */
export type StoreSigned = (
  rows: readonly AuditRow[],
  on: <Result>(statement: Knex.Raw<Result>) => Knex.Raw<Result>,
) => Promise<boolean>;

/** Signs entries as the next rows of a lane, in whose transaction `store` runs. @returns the result of `store` */
type SignRows = (entries: readonly AuditEntry[], store: StoreSigned) => Promise<boolean>;

/** Writes the audit rows of a unit of work. */
export class AuditRows {
  readonly #sql: Knex;
  readonly #sign: SignRows;
  readonly #outbox: EventOutbox;

  constructor(sql: Knex, sign: SignRows, outbox: EventOutbox) {
    this.#sql = sql;
    this.#sign = sign;
    this.#outbox = outbox;
  }

  /** Writes one row. The parameters are those of `auditEntry`. */
  async write(act: Act, subject: string, outcome: string, realms: readonly string[] = []): Promise<void> {
    await this.writeAll([auditEntry(act, subject, outcome, realms)]);
  }

  /** Writes several rows in one statement, with their events. */
  async writeAll(entries: readonly NotedEntry[]): Promise<void> {
    await this.writeBy(entries, async (rows, on, events) => {
      const json = JSON.stringify(rows.map((row) => addAuditFields({}, row)));
      const statement =
        events.length === 0
          ? this.#sql.raw(INSERT_FROM_JSON, [json])
          : this.#sql.raw(INSERT_WITH_EVENTS, [json, JSON.stringify(events)]);
      await on(statement);
      return true;
    });
  }

  /** Signs the entries for a statement that also writes other rows. @returns the result of `store` */
  writeBy(entries: readonly NotedEntry[], store: StoreRows): Promise<boolean> {
    return this.#sign(entries, (rows, on) => store(rows, on, this.#outbox.eventsOf(entries, rows)));
  }
}
