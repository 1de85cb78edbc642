import type { Knex } from 'knex';

import type { AuditEntry, AuditRow } from '../../audit/audit-row.ts';
import type { Act } from '../../policy/caller.ts';
import { AuditTrail } from './audit-trail.ts';
import { storableForm } from '../database/stored-text.ts';

/** The columns of an audit row with their types, in the order of `auditValues`. */
const COLUMNS = {
  ...{ id: 'bigint', at: 'timestamptz', actor: 'text', action: 'text', subject: 'text', realm: 'text' },
  ...{
    outcome: 'text',
    client: 'text',
    request_id: 'text',
    writer: 'bigint',
    lane: 'integer',
    seq: 'bigint',
  },
  ...{ prev_digest: 'bytea', digest: 'bytea', signature: 'bytea' },
};

/** For `INSERT INTO audit (…) SELECT …`. */
export const INSERTED_COLUMNS = Object.keys(COLUMNS).join(', ');
/** A placeholder for each column. */
export const AUDIT_PLACES = Object.values(COLUMNS)
  .map((type) => `?::${type}`)
  .join(', ');

/**
 * @param subject what the act was about: a serial, a realm's name. Never a secret
 * @param outcome what came of it, in a word or two. Never a secret
 * @param realms of what it was about
 */
export function auditEntry(
  act: Act,
  subject: string,
  outcome: string,
  realms: readonly string[] = [],
): AuditEntry {
  return storableEntry({ ...act, subject, outcome, realm: realms.join(',') });
}

/** @returns the same in a form that the database takes */
export function storableEntry(entry: AuditEntry): AuditEntry {
  return {
    actor: storableForm(entry.actor),
    action: storableForm(entry.action),
    subject: storableForm(entry.subject),
    realm: storableForm(entry.realm),
    outcome: storableForm(entry.outcome),
    client: storableForm(entry.client),
    requestId: storableForm(entry.requestId),
  };
}

/** @returns the values of a row, for `AUDIT_PLACES` */
export function auditValues(row: AuditRow): Knex.RawBinding[] {
  const { id, at, actor, action, subject, realm, outcome, client, requestId } = row;
  return [
    ...[id, at, actor, action, subject, realm, outcome, client, requestId],
    ...[row.writer, row.lane, row.seq, row.prevHash, row.hash, row.signature],
  ];
}

/** Writes an audit row, in the transaction of the act where `connection` is one. */
export async function writeAudit(
  connection: Knex,
  act: Act,
  subject: string,
  outcome: string,
  realms: readonly string[] = [],
): Promise<void> {
  await writeAudits(connection, [auditEntry(act, subject, outcome, realms)]);
}

/** Writes several audit rows in one statement; a statement has room for some 4 000. */
export async function writeAudits(connection: Knex, entries: readonly AuditEntry[]): Promise<void> {
  await trailOf(connection).write(connection, entries, async (rows, on) => {
    const places = rows.map(() => `(${AUDIT_PLACES})`).join(', ');
    const insert = `INSERT INTO audit (${INSERTED_COLUMNS}) VALUES ${places}`;
    await on(connection.raw(insert, rows.flatMap(auditValues)));
    return true;
  });
}

/** @returns the trail of the pool that the connection belongs to */
export function trailOf({ userParams }: Knex): AuditTrail {
  const { audit } = userParams as { audit?: unknown };
  if (!(audit instanceof AuditTrail)) {
    throw new Error('The pool was not opened by openDatabase: it has no audit trail');
  }
  return audit;
}
