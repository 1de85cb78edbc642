import type { Knex } from 'knex';

import { readByCursor } from './cursor-store.ts';
import {
  isFinalCheckpoint,
  type JournalGap,
  type JournalRecord,
  type LaneCut,
  type PruneBody,
  type PruningPlan,
  readHeads,
  readPrune,
} from './journal-record.ts';

/** A record as pruning sees it. */
interface KnownRecord extends Pick<JournalRecord, 'number' | 'kind' | 'writer' | 'hash'> {
  readonly isOld: boolean;
}

/** The journal as pruning sees it. */
interface KnownJournal {
  readonly records: KnownRecord[];
  /** Writers that have reported their end. */
  readonly ended: Set<number>;
  /** The newest checkpoint that names a lane, by `writer/lane`. */
  readonly heads: Map<string, { readonly number: number; readonly seq: number }>;
  /** What earlier prunes have removed. */
  pruned: PruneBody;
}

/**
 * Finds the rows before an instant, and the records of the journal that are of no use once these are gone. Kept are:
 * newer records; keys; the last checkpoints that name the end of a lane with rows; and writers that have rows, have
 * signed a kept record, or may still run because they have not reported their end.
 * @param before the first instant of a month, UTC. See `StoredSnapshot.planPruning`
 */
export async function planPruning(sql: Knex.Transaction, before: Date): Promise<PruningPlan> {
  const cutNow = await findCuts(sql, before);
  const { records, ended, heads, pruned } = await readJournal(sql, before);
  const cuts = new Map([...pruned.cuts, ...cutNow].map((cut) => [`${cut.writer}/${cut.lane}`, cut]));
  const lastHeads = [...heads].filter(([lane, { seq }]) => seq > (cuts.get(lane)?.seq ?? 0));
  const lastCheckpoints = new Set(lastHeads.map(([, { number }]) => number));
  const isKept = ({ number, kind, isOld }: KnownRecord): boolean =>
    !isOld || kind === 'key' || lastCheckpoints.has(number);
  const alive = await writersSince(sql, before);
  records.filter(isKept).forEach(({ writer }) => alive.add(writer));
  const isWriterInUse = ({ number, kind }: KnownRecord): boolean =>
    kind === 'writer' && (alive.has(number) || !ended.has(number));
  const gone = records.filter((record) => !isKept(record) && !isWriterInUse(record));
  const numbers = new Set(gone.map(({ number }) => number));
  const writers = new Set(records.filter(({ kind }) => kind === 'writer').map(({ number }) => number));
  return {
    numbers: [...numbers],
    cuts: [...cuts.values()].filter(({ writer }) => writers.has(writer) && !numbers.has(writer)),
    gaps: mergeGaps([
      ...pruned.gaps,
      ...gone.map(({ number, hash }) => ({ from: number, to: number, hash })),
    ]),
    cutNow,
    prunedBefore: await newestPrune(sql),
  };
}

/** @returns the last row before an instant, of each lane that has one */
export async function findCuts(sql: Knex.Transaction, before: Date): Promise<readonly LaneCut[]> {
  const { rows } = await sql.raw<{ rows: LaneCut[] }>(
    `SELECT writer::float8, lane, seq::float8, hash FROM (
       SELECT DISTINCT ON (writer, lane) writer, lane, seq, hash FROM audit
       WHERE at < ? ORDER BY writer, lane, seq DESC
     ) AS cut`,
    [before],
  );
  return rows;
}

/** @returns the hash of the newest prune, hexadecimal; empty where there is none */
export async function newestPrune(sql: Knex.Transaction): Promise<string> {
  const newest = await sql('audit_journal')
    .where({ kind: 'prune' })
    .orderBy('number', 'desc')
    .first<{ hash: Buffer } | undefined>('hash');
  return newest?.hash.toString('hex') ?? '';
}

async function readJournal(sql: Knex.Transaction, before: Date): Promise<KnownJournal> {
  const known: KnownJournal = {
    records: [],
    ended: new Set(),
    heads: new Map(),
    pruned: { cuts: [], gaps: [] },
  };
  const statement = `SELECT number::float8, kind, writer::float8, body, hash,
      at < '${before.toISOString()}' AS "isOld"
    FROM audit_journal ORDER BY audit_journal.number`;
  for await (const some of readByCursor<KnownRecord & { body: string }>(sql, 'old_records', statement)) {
    for (const { body, ...record } of some) {
      known.records.push(record);
      readBody(known, record, body);
    }
  }
  return known;
}

function readBody(known: KnownJournal, { number, kind, writer }: KnownRecord, body: string): void {
  if (kind === 'prune') {
    known.pruned = readPrune(body);
  } else if (kind === 'checkpoint') {
    readHeads(body).forEach(({ lane, seq }) => known.heads.set(`${writer}/${lane}`, { number, seq }));
    if (isFinalCheckpoint(body)) {
      known.ended.add(writer);
    }
  }
}

async function writersSince(sql: Knex.Transaction, since: Date): Promise<Set<number>> {
  const { rows } = await sql.raw<{ rows: { writer: number }[] }>(
    'SELECT DISTINCT writer::float8 FROM audit WHERE at >= ?',
    [since],
  );
  return new Set(rows.map(({ writer }) => writer));
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
