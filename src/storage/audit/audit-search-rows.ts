import type { Knex } from 'knex';

import type { AuditRow } from '../../audit/audit-row.ts';
import type { AuditFilter } from '../../audit/ports.ts';
import { isServiceError, ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../database/database.ts';
import { isStorable } from '../database/stored-text.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { AUDIT_COLUMNS, type StoredAuditRow, toAuditRow } from './audit-cursor.ts';
import { ROWS_OF_TRANSACTION } from './transaction-rows.ts';

/** SQLSTATE query_canceled: the statement took longer than its limit. */
const CANCELED = '57014';

/** @see AuditStore.search */
export async function searchRows(database: Database, filter: AuditFilter): Promise<readonly AuditRow[]> {
  const { actor, action, subject, realm, outcome, client, requestId, transaction, timeLimit } = filter;
  if (!isStorable(actor, action, subject, realm, outcome, client, requestId, transaction)) {
    return [];
  }
  const query = searchQuery(database.knex, filter);
  const find = async ({ sql }: UnitOfWork): Promise<StoredAuditRow[]> => {
    if (timeLimit !== undefined) {
      await sql.raw(`SET LOCAL statement_timeout = ${Math.ceil(timeLimit)}`);
    }
    const found: unknown = await query.clone().transacting(sql);
    return found as StoredAuditRow[];
  };
  try {
    // Without a limit, as rare rows are found by reading the whole table.
    return (await database.transact(find, { isLong: timeLimit === undefined })).map(toAuditRow);
  } catch (error) {
    throw timeLimit !== undefined && isCanceled(error) ? tookTooLong(timeLimit) : error;
  }
}

/** @returns the statement of a search, without its time limit */
function searchQuery(knex: Knex, filter: AuditFilter): Knex.QueryBuilder {
  const { actor, action, subject, realm, outcome, client, requestId, transaction } = filter;
  const query = knex('audit')
    .select(knex.raw(AUDIT_COLUMNS))
    .limit(filter.limit)
    .offset(filter.offset ?? 0);
  if (transaction !== undefined) {
    query.withMaterialized('audit', knex.raw(ROWS_OF_TRANSACTION, [transaction]));
  }
  const columns = { actor, action, subject, client, request_id: requestId };
  for (const [column, wanted] of Object.entries(columns)) {
    if (wanted !== undefined) {
      query.where(column, wanted);
    }
  }
  if (outcome !== undefined) {
    // Its first words find it, too, without the details after them: `refused` finds `refused: no right`.
    query.whereRaw('left(outcome, char_length(?) + 1) = ANY (?::text[])', [
      outcome,
      ['', ' ', ',', ':'].map((end) => `${outcome}${end}`),
    ]);
  }
  if (realm !== undefined) {
    query.whereRaw("? = ANY (string_to_array(realm, ','))", [realm]);
  }
  if (filter.within !== undefined) {
    query.whereRaw("string_to_array(realm, ',') && ?::text[]", [[...filter.within]]);
  }
  restrictTime(query, filter);
  // Sorts by the column, not by its text form.
  return query.orderByRaw('audit.at DESC, audit.id DESC');
}

function restrictTime(query: Knex.QueryBuilder, { since, until, after }: AuditFilter): void {
  if (since !== undefined) {
    query.where('at', '>=', since);
  }
  if (until !== undefined) {
    query.where('at', '<', until);
  }
  if (after !== undefined) {
    // The first condition leaves out whole months, which the comparison of pairs does not.
    query
      .where('at', '<=', after.at)
      .whereRaw('(at, id) < (?::timestamptz, ?::bigint)', [after.at, after.id]);
  }
}

function isCanceled(error: unknown): boolean {
  const { cause } = (error ?? {}) as { cause?: { code?: unknown } };
  return isServiceError(error, 'database.unavailable') && cause?.code === CANCELED;
}

function tookTooLong(timeLimit: number): ServiceError {
  return new ServiceError(
    'parameter.invalid',
    `The search has found too little in ${Math.ceil(timeLimit / 1000)} seconds: narrow it by a time, a serial or a transaction`,
  );
}
