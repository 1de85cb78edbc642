import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';

import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Database } from '../database/database.ts';
import { type AuditRow, auditTime } from './audit-row.ts';
import {
  type AuditAuthority,
  BEFORE_ALL_IDS,
  type Checkpoint,
  isSigned,
  nextCheckpoint,
} from './checkpoint.ts';
import { insertCheckpoint, MAX_SEALED_ROWS, newestCheckpoint, rowsBetween } from './trail-store.ts';

/** The advisory lock of appending checkpoints. "tank", "seal". */
const SEALING_LOCK = [0x74616e6b, 0x7365616c] as const;
/** Milliseconds between two looks at transactions that may still commit rows. */
const LOOK_MS = 50;
/** Milliseconds after which a transaction keeps rows from being sealed for so long that somebody should know. */
const OVERDUE_MS = 300_000;

/** Milliseconds for which servers do not seal on a checkpoint by a key that they do not have: another one has it. */
const UNKNOWN_KEY_MS = 3_600_000;

/** Ids that were given by a moment, and a transaction that got its number after it. */
interface Look {
  readonly lastId: string;
  readonly transaction: string;
  readonly at: number;
}

/** Why rows cannot be sealed for so long that somebody should know. */
class SealingHindered extends Error {}

/** Seals rows by checkpoints, on any number of servers. */
export class AuditSealer {
  readonly #deps;
  /** Rows up to it are sealed once all transactions have ended that may commit some of them. */
  #look: Look | undefined;
  /** When the newest checkpoint was first found to be by a key that this server does not have, in milliseconds. */
  #unknownSince: number | undefined;

  constructor(dependencies: {
    readonly database: Database;
    readonly authority: AuditAuthority;
    readonly clock: Clock;
    readonly log: Pick<Log, 'info'>;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Seals rows that were written before. Transactions that may still commit rows before those keep all of them unsealed
   * until the next call after they have ended.
   * @param patienceMs the longest wait for these, in milliseconds
   * @returns true if more rows are due at once
   * @throws SealingHindered
   */
  async seal(patienceMs: number): Promise<boolean> {
    const { database, log } = this.#deps;
    const look = (this.#look ??= await lookAt(database.knex));
    if (!(await hasSettled(database.knex, look, patienceMs))) {
      if (performance.now() - look.at > OVERDUE_MS) {
        throw new SealingHindered(
          'A transaction that has been open for minutes keeps rows of the audit from being sealed',
        );
      }
      return false;
    }
    const made = await database.transact(async ({ sql }) => {
      const { rows } = await sql.raw<{ rows: { isOurs: boolean }[] }>(
        'SELECT pg_try_advisory_xact_lock(?, ?) AS "isOurs"',
        [...SEALING_LOCK],
      );
      // Otherwise another server seals, or prunes.
      return rows[0]?.isOurs === true ? this.#append(sql, look.lastId) : [];
    });
    const isMore = made.reduce((sum, { rows }) => sum + rows, 0) >= MAX_SEALED_ROWS;
    this.#look = isMore ? look : undefined;
    const newest = made.at(-1);
    if (newest !== undefined) {
      log.info('Audit checkpoint', { component: 'audit', checkpoint: newest.hash.toString('hex') });
    }
    return isMore;
  }

  /** Seals all rows that were written before, unless anything is in the way: who reads the trail gets it all the same. */
  async sealAll(): Promise<void> {
    try {
      while (await this.seal(5_000)) {
        // Goes on.
      }
    } catch (error) {
      if (!(error instanceof SealingHindered)) {
        throw error;
      }
    }
  }

  /**
   * Appends a checkpoint, without rows, that tells of a removal of months. The caller holds the lock of `lockSealing`.
   * @param prunes the first month that is kept
   */
  async appendPruning(sql: Knex.Transaction, prunes: string): Promise<void> {
    const at = auditTime(this.#deps.clock.now());
    const draft = { at, month: at.slice(0, 7), rows: [], prunes };
    await insertCheckpoint(sql, nextCheckpoint(await newestCheckpoint(sql), draft, this.#deps.authority));
  }

  async #append(sql: Knex.Transaction, lastId: string): Promise<readonly Checkpoint[]> {
    const { authority, clock } = this.#deps;
    const newest = await newestCheckpoint(sql);
    if (newest === undefined || isSigned(newest, authority.keys())) {
      this.#unknownSince = undefined;
    } else {
      const now = clock.now().getTime();
      this.#unknownSince ??= now;
      if (Math.abs(now - Date.parse(newest.at)) < UNKNOWN_KEY_MS) {
        if (now - this.#unknownSince > OVERDUE_MS) {
          throw new SealingHindered(
            'This server does not have the key of the newest checkpoint of the audit',
          );
        }
        return [];
      }
    }
    await assertIdsGoOn(sql, newest, lastId);
    const bounds = { after: newest?.lastId ?? BEFORE_ALL_IDS, until: lastId, limit: MAX_SEALED_ROWS };
    const at = auditTime(clock.now());
    const made: Checkpoint[] = [];
    for (const rows of byMonth(await rowsBetween(sql, bounds))) {
      const draft = { at, month: monthOf(rows[0]), rows };
      const checkpoint = nextCheckpoint(made.at(-1) ?? newest, draft, authority);
      await insertCheckpoint(sql, checkpoint);
      made.push(checkpoint);
    }
    return made;
  }
}

/** Waits for the lock of appending checkpoints, and holds it until the end of the transaction. */
export async function lockSealing(sql: Knex.Transaction): Promise<void> {
  await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [...SEALING_LOCK]);
}

/** @throws SealingHindered where rows get ids that the newest checkpoint counts as covered: none of them would be sealed */
async function assertIdsGoOn(sql: Knex, newest: Checkpoint | undefined, seen: string): Promise<void> {
  const covered = BigInt(newest?.lastId ?? BEFORE_ALL_IDS);
  // Another server may have looked later than this one.
  if (BigInt(seen) < covered && BigInt(await lastIdOf(sql)) < covered) {
    throw new SealingHindered('The ids of the audit are behind its newest checkpoint');
  }
}

async function lastIdOf(knex: Knex): Promise<string> {
  const { rows } = await knex.raw<{ rows: { lastId: string }[] }>(
    'SELECT last_value AS "lastId" FROM audit_id_seq',
  );
  return rows[0]?.lastId ?? BEFORE_ALL_IDS;
}

/** In this order: a transaction has a number before it gives its first id (the default of audit.id). */
async function lookAt(knex: Knex): Promise<Look> {
  const lastId = await lastIdOf(knex);
  // A new number: the end of a snapshot is behind the last one that has ended, not behind the last one that was given.
  const transactions = await knex.raw<{ rows: { own: string }[] }>(
    'SELECT pg_current_xact_id()::text AS own',
  );
  return {
    lastId,
    transaction: transactions.rows[0]?.own ?? '0',
    at: performance.now(),
  };
}

/** @returns true if no transaction of before the look is under way */
async function hasSettled(knex: Knex, { transaction }: Look, patienceMs: number): Promise<boolean> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const { rows } = await knex.raw<{ rows: { isOver: boolean }[] }>(
      'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= ?::text::xid8 AS "isOver"',
      [transaction],
    );
    if (rows[0]?.isOver === true) {
      return true;
    }
    if (performance.now() >= end) {
      return false;
    }
    await sleep(LOOK_MS);
  }
}

/** @returns neighbouring rows of the same month together: months are pruned as a whole */
function byMonth(rows: readonly AuditRow[]): readonly (readonly AuditRow[])[] {
  const groups: AuditRow[][] = [];
  for (const row of rows) {
    const group = groups.at(-1);
    if (group !== undefined && monthOf(group[0]) === monthOf(row)) {
      group.push(row);
    } else {
      groups.push([row]);
    }
  }
  return groups;
}

function monthOf(row: AuditRow | undefined): string {
  return row?.at.slice(0, 7) ?? '';
}
