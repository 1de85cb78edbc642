import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';

import type { Act } from '../policy/caller.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { BEFORE_ALL_IDS } from './checkpoint.ts';
import { type AuditSealer, lockSealing } from './sealing-store.ts';
import { newestCheckpoint, newestPruning } from './trail-store.ts';

export interface Pruned {
  readonly rows: number;
  /** `2026-03`, in order. */
  readonly months: readonly string[];
}

/** Number of coming months that have their partition. */
const MONTHS_AHEAD = 2;
/** The advisory lock of making partitions. "tank", "part". */
const PARTITION_LOCK = [0x74616e6b, 0x70617274] as const;
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

/**
 * Removes whole months. Their checkpoints stay, and one of its own tells of the removal.
 * @param before the first instant of a month, UTC
 * @throws ServiceError 'database.unavailable' when others use the trail for too long, 'server.busy' while rows of these
 *   months are not sealed
 */
export async function pruneTrail(
  database: Database,
  sealer: AuditSealer,
  before: Date,
  act: Act,
): Promise<Pruned> {
  // Rows of today must not go to the default partition, which is locked below.
  await ensureAuditMonths(database);
  await sealer.sealAll();
  const prune = async ({ sql, audit }: UnitOfWork): Promise<Pruned> => {
    // One pruning at a time: a month that is found here exists until the end of this transaction.
    await sql.raw(`SET LOCAL lock_timeout = '${TURN_TIMEOUT}'`);
    await lockSealing(sql);
    await sql.raw(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    const months = await monthsBefore(sql, before);
    const partitions = months.map((month) => `audit_${month.replace('-', '_')}`);
    // Waits for transactions with rows of these months, so that no row is added behind the checkpoints.
    for (const name of ['audit_default', ...partitions]) {
      await sql.raw('LOCK TABLE ?? IN SHARE MODE', [name]);
    }
    const rows = await countSealed(sql, before);
    if (rows + months.length === 0) {
      return { rows, months };
    }
    await audit.write(act, 'audit', `pruned before ${before.toISOString().slice(0, 10)}, ${rows} rows`);
    await forget(sql, sealer, before);
    if (partitions.length > 0) {
      await lockTrail(sql);
    }
    // Last, as writers and readers wait from here on.
    for (const name of partitions) {
      await sql.raw('DROP TABLE ??', [name]);
    }
    return { rows, months };
  };
  return database.transact(prune, { isLong: true });
}

/** @returns the number of rows before an instant. @throws ServiceError 'server.busy' if some are not sealed */
async function countSealed(sql: Knex.Transaction, before: Date): Promise<number> {
  const sealed = (await newestCheckpoint(sql))?.lastId ?? BEFORE_ALL_IDS;
  const { rows } = await sql.raw<{ rows: { rows: string; unsealed: string }[] }>(
    'SELECT count(*) AS rows, count(*) FILTER (WHERE id > ?::bigint) AS unsealed FROM audit WHERE at < ?',
    [sealed, before],
  );
  if (rows[0]?.unsealed !== '0') {
    throw new ServiceError(
      'server.busy',
      'Rows of these months of the audit are not sealed yet: try it later',
      {
        retryAfter: 60,
      },
    );
  }
  return Number(rows[0].rows);
}

/** Tells of the removal by a checkpoint, and removes what is not of a partition of its own. */
async function forget(sql: Knex.Transaction, sealer: AuditSealer, before: Date): Promise<void> {
  const kept = before.toISOString().slice(0, 7);
  const keptBefore = (await newestPruning(sql))?.before ?? '';
  const month = kept > keptBefore ? kept : keptBefore;
  await sealer.appendPruning(sql, month);
  await sql.raw("SET LOCAL tankeeper.audit = 'open'");
  await sql.raw("UPDATE audit_checkpoints SET leaves = '' WHERE month < ? AND leaves <> ''", [month]);
  await sql('audit_default').where('at', '<', `${month}-01T00:00:00Z`).delete();
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

/** @returns the months that have a partition, in order: `2026-11` */
export async function auditMonths(connection: Knex): Promise<readonly string[]> {
  const { rows } = await connection.raw<{ rows: { name: string }[] }>(
    `SELECT c.relname AS name FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'audit'::regclass ORDER BY c.relname`,
  );
  const names = rows.map(({ name }) => name).filter((name) => /^audit_\d{4}_\d{2}$/.test(name));
  return names.map((name) => name.slice('audit_'.length).replace('_', '-'));
}

/** @returns those that end before the month of an instant */
export async function monthsBefore(connection: Knex, instant: Date): Promise<readonly string[]> {
  const first = instant.toISOString().slice(0, 7);
  return (await auditMonths(connection)).filter((month) => month < first);
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
