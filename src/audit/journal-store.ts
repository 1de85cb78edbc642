import type { Knex } from 'knex';

import { NOTHING_BEFORE } from './audit-row.ts';
import { type JournalKind, type JournalRecord, recordHash } from './journal-record.ts';
import { utcText } from './cursor-store.ts';

/** The advisory lock of appending to the journal. "tank", "jour". */
const JOURNAL_LOCK = [0x74616e6b, 0x6a6f7572] as const;

/** A record of the journal as the database returns it. bigint comes as text. */
export interface JournalRow {
  readonly number: string;
  readonly at: string;
  readonly kind: JournalKind;
  readonly writer: string;
  readonly key_id: string;
  readonly body: string;
  readonly prev_hash: Buffer;
  readonly hash: Buffer;
  readonly signature: Buffer;
}

/** The content of a record, without its place. */
export interface RecordDraft {
  readonly kind: JournalKind;
  readonly at: string;
  /** 0: the installation's key signs it. */
  readonly writer: number;
  readonly keyId: string;
  readonly body: string;
}

export const JOURNAL_COLUMNS = `number, ${utcText('at')}, kind, writer, key_id, body, prev_hash, hash, signature`;

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
  await transaction('audit_journal').insert({
    number: record.number,
    at: record.at,
    kind: record.kind,
    writer: record.writer,
    key_id: record.keyId,
    body: record.body,
    prev_hash: record.prevHash,
    hash,
    signature: record.signature,
  });
  return record;
}

export function toJournalRecord(row: JournalRow): JournalRecord {
  return {
    number: Number(row.number),
    at: row.at,
    kind: row.kind,
    writer: Number(row.writer),
    keyId: row.key_id,
    body: row.body,
    prevHash: row.prev_hash,
    hash: row.hash,
    signature: row.signature,
  };
}
