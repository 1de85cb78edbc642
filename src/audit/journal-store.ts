import type { Knex } from 'knex';

import { columnOf, NOTHING_BEFORE } from './audit-row.ts';
import { type JournalRecord, RECORD_KINDS, recordHash } from './journal-record.ts';
import { columnsOf, readStored, type Stored } from './cursor-store.ts';

/** The advisory lock of appending to the journal. "tank", "jour". */
const JOURNAL_LOCK = [0x74616e6b, 0x6a6f7572] as const;

/** The content of a record, without its place. */
export type RecordDraft = Pick<JournalRecord, 'kind' | 'at' | 'writer' | 'keyId' | 'body'>;

export const JOURNAL_COLUMNS = columnsOf(RECORD_KINDS);

/** Prevents others from appending until commit. */
export async function lockJournal(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw('SELECT pg_advisory_xact_lock(?, ?)', [...JOURNAL_LOCK]);
}

/** Appends to the journal, whose lock the caller holds. @returns the record as it is stored */
export async function appendRecord(
  transaction: Knex.Transaction,
  draft: RecordDraft,
  sign: (hash: Uint8Array) => Buffer,
): Promise<JournalRecord> {
  const last = await transaction('audit_journal')
    .orderBy('number', 'desc')
    .first<{ number: string; hash: Buffer } | undefined>('number', 'hash');
  const unsigned = {
    ...draft,
    number: Number(last?.number ?? 0) + 1,
    prevHash: last?.hash ?? NOTHING_BEFORE,
  };
  const hash = recordHash(unsigned);
  const record = { ...unsigned, hash, signature: sign(hash) };
  await transaction('audit_journal').insert(
    Object.fromEntries(Object.entries(record).map(([member, value]) => [columnOf(member), value])),
  );
  return record;
}

export function toJournalRecord(row: Stored<JournalRecord>): JournalRecord {
  return readStored<JournalRecord>(RECORD_KINDS, row);
}
