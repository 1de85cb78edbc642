import type { Knex } from 'knex';

import {
  isFinalCheckpoint,
  type JournalGap,
  type JournalKind,
  type LaneCut,
  type PruneBody,
  readHeads,
  readPrune,
} from './journal-record.ts';
import { readByCursor } from './cursor-store.ts';

/** A record as pruning sees it. bigint comes as text. */
interface OldRecord {
  readonly number: string;
  readonly kind: JournalKind;
  readonly writer: string;
  readonly body: string;
  readonly hash: Buffer;
  readonly is_old: boolean;
}

/** The part of the journal that is removed with the rows. */
interface JournalPlan extends PruneBody {
  /** Numbers of the records to remove. */
  readonly numbers: readonly number[];
}

interface PruningRequest {
  readonly before: Date;
  /** The lanes' cuts after the pruning. */
  readonly cuts: readonly LaneCut[];
}

/** Facts about the records that may be removed. */
interface Known {
  readonly old: { readonly number: number; readonly hash: Buffer }[];
  readonly writers: Set<number>;
  /** The writer that signed each record, by the record's number. */
  readonly signers: Map<number, number>;
  readonly ended: Set<number>;
  /** The newest checkpoint that names a lane, by `writer/lane`. */
  readonly heads: Map<string, { readonly number: number; readonly seq: number }>;
  before: PruneBody;
}

/**
 * Finds the records of the journal that are of no use once the rows before an instant are gone. Kept are: newer
 * records; keys; the last checkpoints that name the end of a lane with rows; and writers that have rows, have signed a
 * kept record, or may still run because they have not reported their end. The caller holds the journal's lock.
 */
export async function planJournalPruning(
  transaction: Knex.Transaction,
  { before, cuts }: PruningRequest,
): Promise<JournalPlan> {
  const known = await readJournal(transaction, before);
  const allCuts = mergeCuts(known.before.cuts, cuts);
  const heads = [...known.heads].filter(([lane, { seq }]) => seq > (allCuts.get(lane)?.seq ?? 0));
  const kept = new Set(heads.map(([, { number }]) => number));
  const alive = await writersSince(transaction, before);
  const old = new Set(known.old.map(({ number }) => number));
  for (const [number, writer] of known.signers) {
    if (!old.has(number) || kept.has(number)) {
      alive.add(writer);
    }
  }
  const needed = [...known.writers].filter((writer) => alive.has(writer) || !known.ended.has(writer));
  needed.forEach((writer) => kept.add(writer));
  const gone = known.old.filter(({ number }) => !kept.has(number));
  const numbers = new Set(gone.map(({ number }) => number));
  return {
    numbers: [...numbers],
    cuts: [...allCuts.values()].filter(({ writer }) => !numbers.has(writer) && known.writers.has(writer)),
    gaps: mergeGaps([...known.before.gaps, ...gone.map(({ number, hash }) => span(number, hash))]),
  };
}

async function readJournal(transaction: Knex.Transaction, before: Date): Promise<Known> {
  const known: Known = {
    old: [],
    writers: new Set(),
    signers: new Map(),
    ended: new Set(),
    heads: new Map(),
    before: { cuts: [], gaps: [] },
  };
  const statement = `SELECT number, kind, writer, body, hash, at < '${before.toISOString()}' AS is_old
    FROM audit_journal ORDER BY number`;
  for await (const records of readByCursor<OldRecord>(transaction, 'old_records', statement)) {
    for (const record of records) {
      const number = Number(record.number);
      if (record.is_old && record.kind !== 'key') {
        known.old.push({ number, hash: record.hash });
      }
      note(known, number, record);
    }
  }
  return known;
}

function note(known: Known, number: number, { kind, writer, body }: OldRecord): void {
  const by = Number(writer);
  if (kind === 'writer') {
    known.writers.add(number);
    return;
  }
  if (kind === 'key') {
    return;
  }
  known.signers.set(number, by);
  if (kind === 'prune') {
    known.before = readPrune(body);
  } else {
    readHeads(body).forEach(({ lane, seq }) => known.heads.set(`${by}/${lane}`, { number, seq }));
    if (isFinalCheckpoint(body)) {
      known.ended.add(by);
    }
  }
}

async function writersSince(transaction: Knex.Transaction, since: Date): Promise<Set<number>> {
  const { rows } = await transaction.raw<{ rows: { writer: string }[] }>(
    'SELECT DISTINCT writer FROM audit WHERE at >= ?',
    [since],
  );
  return new Set(rows.map(({ writer }) => Number(writer)));
}

function mergeCuts(before: readonly LaneCut[], now: readonly LaneCut[]): Map<string, LaneCut> {
  return new Map([...before, ...now].map((cut) => [`${cut.writer}/${cut.lane}`, cut]));
}

function span(number: number, hash: Buffer): JournalGap {
  return { from: number, to: number, hash };
}

/** @returns the same gaps; adjacent ones are merged */
function mergeGaps(gaps: readonly JournalGap[]): readonly JournalGap[] {
  const merged: JournalGap[] = [];
  for (const gap of [...gaps].sort((left, right) => left.from - right.from)) {
    const last = merged.at(-1);
    if (last !== undefined && gap.from <= last.to + 1) {
      merged[merged.length - 1] = gap.to > last.to ? { ...gap, from: last.from } : last;
    } else {
      merged.push(gap);
    }
  }
  return merged;
}
