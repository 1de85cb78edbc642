import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';

import {
  type JournalGap,
  type JournalRecord,
  type LaneCut,
  pruneBody,
  type PruneBody,
  type PruningPlan,
  readHeads,
  readPrune,
  readRecordBody,
} from './journal-record.ts';
import type { Act } from '../policy/caller.ts';
import { ServiceError } from '../kernel/errors.ts';
import { lockJournal } from './trail-store.ts';
import type { Database } from '../database/database.ts';
import { readByCursor, type UnitOfWork } from '../database/unit-of-work.ts';

export interface Pruned {
  readonly rows: number;
  /** `2026-03`, in order. */
  readonly months: readonly string[];
  readonly records: number;
}

/** Number of coming months that have their partition. */
const MONTHS_AHEAD = 2;
/** The advisory lock of making partitions. "tank", "part". */
const PARTITION_LOCK = [0x74616e6b, 0x70617274] as const;
/** The advisory lock of pruning. "tank", "prun". */
const PRUNING_LOCK = [0x74616e6b, 0x7072756e] as const;
/** Longest wait for another pruning, which has waits of its own. */
const TURN_TIMEOUT = '20s';
/** Longest wait for transactions that still write to the months to prune. */
const LOCK_TIMEOUT = '3s';
/** Longest time that writers may have to wait behind the lock of the whole table. */
const SHORT_LOCK_TIMEOUT = '100ms';
/** Attempts at that lock, with a pause of one to two times its time-out: about ten seconds in all. */
const TRIES = 40;
/** lock_not_available */
const TIMED_OUT = '55P03';

/** @param before the first instant of a month, UTC. See `AuditStore.prune` */
export async function pruneTrail(
  database: Database,
  before: Date,
  act: Act,
  verified?: PruningPlan,
): Promise<Pruned> {
  // Rows of today must not go to the default partition, which is locked below.
  await ensureAuditMonths(database);
  const writer = await database.audit.writer();
  const prune = async ({ sql, audit }: UnitOfWork): Promise<Pruned> => {
    // One pruning at a time: a month that is found here exists until the end of this transaction.
    await sql.raw(`SET LOCAL lock_timeout = '${TURN_TIMEOUT}'`);
    await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [...PRUNING_LOCK]);
    await sql.raw(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    const partitions = await partitionsBefore(sql, before);
    // Waits for transactions with rows of these months, so that no row is added behind the cut.
    for (const name of ['audit_default', ...partitions]) {
      await sql.raw('LOCK TABLE ?? IN SHARE MODE', [name]);
    }
    const rows = await countBefore(sql, before);
    await lockJournal(sql);
    const plan = verified ?? (await planPruning(sql, before));
    const isAsVerified = await isStill(sql, before, verified);
    const months = partitions.map((name) => name.slice('audit_'.length).replace('_', '-'));
    // If the plan no longer holds, another pruning may just have ended.
    const pruned = { rows, months, records: isAsVerified ? plan.numbers.length : 0 };
    if (rows + months.length + pruned.records === 0) {
      return pruned;
    }
    assertVerified(isAsVerified);
    const day = before.toISOString().slice(0, 10);
    await audit.write(act, 'audit', `pruned before ${day}, ${rows} rows`);
    await writer.record(sql, 'prune', pruneBody(before.toISOString(), rows, plan));
    await sql('audit_journal')
      .whereRaw('number = ANY (?::bigint[])', [[...plan.numbers]])
      .delete();
    await sql('audit_default').where('at', '<', before).delete();
    if (partitions.length > 0) {
      await lockTrail(sql);
    }
    // Last, as writers and readers wait from here on.
    for (const name of partitions) {
      await sql.raw('DROP TABLE ??', [name]);
    }
    return pruned;
  };
  return database.transact(prune, { isLong: true });
}

/** Checks the plan again: a row that an attacker has dated back meanwhile would be removed with a signature. */
async function isStill(sql: Knex.Transaction, before: Date, plan: PruningPlan | undefined): Promise<boolean> {
  if (plan === undefined) {
    return true;
  }
  return (
    plan.prunedBefore === (await newestPrune(sql)) &&
    isDeepStrictEqual(plan.cutNow, await findCuts(sql, before))
  );
}

function assertVerified(isAsVerified: boolean): void {
  if (!isAsVerified) {
    throw new ServiceError('audit.unverifiable', 'The audit trail is not any more what was verified');
  }
}

/**
 * Locks the whole table, which removing a partition needs. All later transactions wait behind such a lock request, so
 * each attempt is short and is repeated.
 */
async function lockTrail(sql: Knex.Transaction): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    await sql.raw('SAVEPOINT audit_lock');
    await sql.raw(`SET LOCAL lock_timeout = '${SHORT_LOCK_TIMEOUT}'`);
    try {
      await sql.raw('LOCK TABLE ONLY audit IN ACCESS EXCLUSIVE MODE');
      await sql.raw('RELEASE SAVEPOINT audit_lock');
      return;
    } catch (error) {
      if (tries >= TRIES || !isTimeout(error)) {
        throw error;
      }
      await sql.raw('ROLLBACK TO SAVEPOINT audit_lock');
      await sleep(100 * (1 + Math.random()));
    }
  }
}

function isTimeout(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return code === TIMED_OUT || cause?.code === TIMED_OUT;
}

async function countBefore(sql: Knex.Transaction, before: Date): Promise<number> {
  const { rows } = await sql.raw<{ rows: { rows: string }[] }>(
    'SELECT count(*) AS rows FROM audit WHERE at < ?',
    [before],
  );
  return Number(rows[0]?.rows);
}

/** @returns the partitions of whole months before the given one, in order */
export async function partitionsBefore(connection: Knex, before: Date): Promise<readonly string[]> {
  const { rows } = await connection.raw<{ rows: { name: string }[] }>(
    `SELECT c.relname AS name FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'audit'::regclass ORDER BY c.relname`,
  );
  const first = `audit_${before.toISOString().slice(0, 7).replace('-', '_')}`;
  return rows.map(({ name }) => name).filter((name) => /^audit_\d{4}_\d{2}$/.test(name) && name < first);
}

/**
 * Makes the partitions of this month and the next two, on one server at a time.
 * @returns the number of new partitions
 */
export function ensureAuditMonths(database: Database): Promise<number> {
  return database.transact(async ({ sql }) => {
    // It must hold up others for a short time only, and is tried again.
    await sql.raw("SET LOCAL lock_timeout = '2s'");
    await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [...PARTITION_LOCK]);
    const { rows } = await sql.raw<{ rows: { made: number }[] }>('SELECT ensure_audit_months(?) AS made', [
      MONTHS_AHEAD,
    ]);
    return rows[0]?.made ?? 0;
  });
}

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
async function findCuts(sql: Knex.Transaction, before: Date): Promise<readonly LaneCut[]> {
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
async function newestPrune(sql: Knex.Transaction): Promise<string> {
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
    if (readRecordBody(body).final === true) {
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
