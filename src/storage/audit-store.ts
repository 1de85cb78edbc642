import type { Knex } from 'knex';

import type { AuditRow } from '../accounts/audit/audit-row.ts';
import { type LaneCut, pruneBody } from '../accounts/audit/journal-record.ts';
import type { AuditFilter, AuditPeriod, AuditSnapshot, AuditStore, Pruned } from '../accounts/audit/ports.ts';
import type { Act } from '../accounts/caller.ts';
import { AUDIT_COLUMNS, BY_PLACE, readByCursor, type StoredAuditRow, toAuditRow } from './audit-cursor.ts';
import { digestUnsigned } from './audit-digest.ts';
import { JOURNAL_COLUMNS, type JournalRow, lockJournal, toJournalRecord } from './audit-journal.ts';
import { writeAudit } from './audit-rows.ts';
import type { Database } from './database.ts';
import { isStorable } from './stored-text.ts';

/** How long taking away months waits for those who read the trail: writers wait behind it. */
const LOCK_TIMEOUT = '3s';

/** The audit trail in PostgreSQL. */
export class SqlAuditStore implements AuditStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  async search(filter: AuditFilter): Promise<readonly AuditRow[]> {
    const { actor, action, subject, realm, outcome, since, until, limit } = filter;
    if (!isStorable(actor, action, subject, realm, outcome)) {
      return [];
    }
    const { knex } = this.#database;
    const query = knex('audit').select(knex.raw(AUDIT_COLUMNS)).limit(limit);
    for (const [column, wanted] of Object.entries({ actor, action, subject, outcome })) {
      if (wanted !== undefined) {
        query.where(column, wanted);
      }
    }
    if (realm !== undefined) {
      query.whereRaw("? = ANY (string_to_array(realm, ','))", [realm]);
    }
    if (since !== undefined) {
      query.where('at', '>=', since);
    }
    if (until !== undefined) {
      query.where('at', '<', until);
    }
    // By the column, not by the text that it is read as.
    const rows = (await query.orderByRaw('audit.at DESC, audit.id DESC')) as unknown as StoredAuditRow[];
    return rows.map(toAuditRow);
  }

  async read<T>(work: (snapshot: AuditSnapshot) => Promise<T>): Promise<T> {
    return this.#database.transact(async (transaction) => {
      await transaction.raw('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      await prepare(transaction);
      return work(snapshotIn(transaction));
    });
  }

  async estimate(): Promise<number> {
    const { rows } = await this.#database.knex.raw<{ rows: { rows: number }[] }>(
      `SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 AS rows
       FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = 'audit'::regclass`,
    );
    return Math.round(rows[0]?.rows ?? 0);
  }

  async prune(before: Date, act: Act): Promise<Pruned> {
    return this.#database.transact(async (transaction) => {
      await prepare(transaction);
      await transaction.raw(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
      const writer = await this.#database.audit.writer();
      const partitions = await partitionsBefore(transaction, before);
      // Whoever is still at a row of these months is waited for, so that none comes in behind the cut.
      await transaction.raw('LOCK TABLE ?? IN SHARE MODE', ['audit_default']);
      for (const name of partitions) {
        await transaction.raw('LOCK TABLE ?? IN SHARE MODE', [name]);
      }
      const { rows, unsigned } = await countBefore(transaction, before);
      const cuts = await findCuts(transaction, before);
      const day = before.toISOString().slice(0, 10);
      await writeAudit(transaction, act, 'audit', `pruned before ${day}, ${rows} rows`);
      await lockJournal(transaction);
      await writer.record(transaction, 'prune', pruneBody(before.toISOString(), rows, cuts));
      await transaction('audit_default').where('at', '<', before).delete();
      // Last, as writers and readers wait from here on.
      for (const name of partitions) {
        await transaction.raw('DROP TABLE ??', [name]);
      }
      if (unsigned > 0) {
        await writer.record(transaction, 'seal', JSON.stringify(await digestUnsigned(transaction)));
      }
      return { rows, months: partitions.map((name) => name.slice('audit_'.length).replace('_', '-')) };
    });
  }
}

function snapshotIn(transaction: Knex.Transaction): AuditSnapshot {
  return {
    records: async function* () {
      const statement = `SELECT ${JOURNAL_COLUMNS} FROM audit_journal ORDER BY number`;
      for await (const rows of readByCursor<JournalRow>(transaction, 'journal_records', statement)) {
        yield rows.map(toJournalRecord);
      }
    },
    rows: async function* (period: AuditPeriod = {}) {
      const statement = `SELECT ${AUDIT_COLUMNS} FROM audit ${within(period)} ${BY_PLACE}`;
      for await (const rows of readByCursor<StoredAuditRow>(transaction, 'audit_rows', statement)) {
        yield rows.map(toAuditRow);
      }
    },
  };
}

/** Instants by their digits: a cursor's statement takes no values from outside. */
function within({ since, until }: AuditPeriod): string {
  const conditions = [
    ...(since === undefined ? [] : [`at >= '${since.toISOString()}'`]),
    ...(until === undefined ? [] : [`at < '${until.toISOString()}'`]),
  ];
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}

async function findCuts(transaction: Knex.Transaction, before: Date): Promise<readonly LaneCut[]> {
  const { rows } = await transaction.raw<{
    rows: { writer: string; lane: number; seq: string; digest: Buffer }[];
  }>(
    `SELECT DISTINCT ON (writer, lane) writer, lane, seq, digest FROM audit
     WHERE at < ? AND writer > 0 ORDER BY writer, lane, seq DESC`,
    [before],
  );
  return rows.map(({ writer, lane, seq, digest }) => ({
    ...{ writer: Number(writer), lane, seq: Number(seq), hash: digest },
  }));
}

async function countBefore(
  transaction: Knex.Transaction,
  before: Date,
): Promise<{ readonly rows: number; readonly unsigned: number }> {
  const { rows } = await transaction.raw<{ rows: { rows: string; unsigned: string }[] }>(
    'SELECT count(*) AS rows, count(*) FILTER (WHERE writer = 0) AS unsigned FROM audit WHERE at < ?',
    [before],
  );
  return { rows: Number(rows[0]?.rows), unsigned: Number(rows[0]?.unsigned) };
}

/** @returns the partitions of whole months before the given one, in order */
async function partitionsBefore(transaction: Knex.Transaction, before: Date): Promise<readonly string[]> {
  const { rows } = await transaction.raw<{ rows: { name: string }[] }>(
    `SELECT c.relname AS name FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'audit'::regclass ORDER BY c.relname`,
  );
  const first = `audit_${before.toISOString().slice(0, 7).replace('-', '_')}`;
  return rows.map(({ name }) => name).filter((name) => /^audit_\d{4}_\d{2}$/.test(name) && name < first);
}

/** However long others have set it: this is no request. */
async function prepare(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw('SET LOCAL statement_timeout = 0');
}
