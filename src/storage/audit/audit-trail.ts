import type { Knex } from 'knex';
import { setTimeout as sleep } from 'node:timers/promises';

import type { AuditEntry, AuditRow } from '../../audit/audit-row.ts';
import { checkpointBody } from '../../audit/journal-record.ts';
import type { AuditAuthority } from '../../audit/ports.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { lockJournal } from './audit-journal.ts';
import { AuditLanes, type OpenLane } from './audit-lanes.ts';
import { AuditWriter } from './audit-writer.ts';
import { isSurelyUndone, translateDatabaseFault, wasGivenUp } from '../database/database-faults.ts';

/** How long a pool that closes waits for its last checkpoint, in milliseconds. */
const TIMEOUT_MS = 500;
/** How often a statement is tried that the database gives up for the sake of others. */
const ATTEMPTS = 5;

/** What the trail of a pool works with. */
export interface AuditTrailOptions {
  readonly pool: Knex;
  /** Of the process, for people: `tankeeper server`. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log | undefined;
}

/** Stores rows, on the connection given. @returns whether they were */
type Store = (rows: readonly AuditRow[], statement: (sql: Knex.Raw) => Knex.Raw) => Promise<boolean>;

/** A lane as long as a transaction has it. */
interface Lease {
  /** Where it stood before, and where it will stand once the transaction is committed. */
  readonly before: OpenLane;
  head: OpenLane;
  /** Whether storing rows has failed: the database then takes all of it back, even if it is asked to commit. */
  isBroken: boolean;
}

/**
 * The writer of a pool's audit rows (docs/adr/0013-audit-chains.md). Introduces itself to the journal before its first row;
 * each transaction that writes rows has a lane, a chain of its own, which moves on when it commits.
 */
export class AuditTrail {
  readonly #deps: AuditTrailOptions;
  readonly #lanes = new AuditLanes();
  readonly #leases = new WeakMap<Knex, Lease>();
  readonly #checkpointed = new Map<number, number>();
  #authority: AuditAuthority | undefined;
  #writer: Promise<AuditWriter> | undefined;
  #checkpointing: Promise<unknown> = Promise.resolve();

  constructor(options: AuditTrailOptions) {
    this.#deps = options;
  }

  /** To be called before the first row is written: without an authority, verifying will name every row as inserted. */
  certifyBy(authority: AuditAuthority): void {
    this.#authority = authority;
  }

  /** Introduces the writer, unless it was. Servers do so at their start. @throws ServiceError 'database.unavailable' */
  async open(): Promise<void> {
    await this.writer();
  }

  /** @returns the writer of this pool */
  writer(): Promise<AuditWriter> {
    this.#writer ??= this.#introduce().catch((error: unknown) => {
      this.#writer = undefined;
      throw translateDatabaseFault(error);
    });
    return this.#writer;
  }

  /**
   * Signs entries and has them stored: in the transaction where `connection` is one, else in one of their own.
   * @returns what `store` says; where that is false, nothing was written
   */
  async write(connection: Knex, entries: readonly AuditEntry[], store: Store): Promise<boolean> {
    const writer = await this.writer();
    return connection.isTransaction === true
      ? this.#writeIn(connection as Knex.Transaction, writer, entries, store)
      : this.#writeAlone(() => this.#writeOnce(writer, entries, store));
  }

  /**
   * Writes how far the lanes have come to the journal, and to the log: what is missing from the trail later shows.
   * @param isFinal whether the writer ends with it, after which pruning may forget the writer
   * @returns the hash of the checkpoint; undefined when nothing was written since the one before
   */
  async checkpoint(isFinal = false): Promise<string | undefined> {
    const turn = this.#checkpointing.then(() => this.#checkpoint(isFinal));
    this.#checkpointing = turn.catch(() => undefined);
    return turn;
  }

  /** Ends with a last checkpoint, where the database takes it within half a second. */
  async close(): Promise<void> {
    if (this.#writer === undefined) {
      return;
    }
    const last = this.checkpoint(true).catch(() => undefined);
    await Promise.race([last, sleep(TIMEOUT_MS, undefined, { ref: false })]);
  }

  /**
   * On a connection of its own, not one of the pool: all of these may be held by transactions that wait for the writer.
   */
  async #introduce(): Promise<AuditWriter> {
    const { pool, name, clock } = this.#deps;
    const client = pool.client as Knex.Client;
    const connection: unknown = await client.acquireRawConnection();
    try {
      return await pool.transaction(
        (transaction) => AuditWriter.introduce(transaction, name, this.#authority, clock),
        { connection },
      );
    } finally {
      await client.destroyRawConnection(connection);
    }
  }

  async #writeIn(
    transaction: Knex.Transaction,
    writer: AuditWriter,
    entries: readonly AuditEntry[],
    store: Store,
  ): Promise<boolean> {
    const lease = this.#leases.get(transaction) ?? this.#lease(transaction);
    const before = lease.head;
    const { rows, head } = await writer.sign(before, entries);
    if (lease.head !== before) {
      throw new ServiceError('internal', 'Audit rows of one transaction are written one after the other');
    }
    lease.head = head;
    lease.isBroken = true;
    const isStored = await store(rows, (sql) => sql);
    lease.isBroken = false;
    if (!isStored) {
      lease.head = before;
    }
    return isStored;
  }

  #lease(transaction: Knex.Transaction): Lease {
    if (transaction.parentTransaction !== undefined) {
      throw new ServiceError('internal', 'Audit rows are not written within savepoints');
    }
    const before = this.#take();
    const lease: Lease = { before, head: before, isBroken: false };
    this.#leases.set(transaction, lease);
    transaction.executionPromise.then(
      () => {
        if (!lease.isBroken) {
          this.#settle(lease.before, lease.head);
        }
      },
      (error: unknown) => {
        this.#giveUp(lease.before, error);
      },
    );
    return lease;
  }

  /** What the database gives up for the sake of others is undone, and done again, as `Database.transact` does. */
  async #writeAlone(write: () => Promise<boolean>): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await write();
      } catch (error) {
        if (attempt === ATTEMPTS || !wasGivenUp(error)) {
          throw error;
        }
      }
    }
  }

  /** The connection first, then the lane: so there are never more lanes than connections. */
  async #writeOnce(writer: AuditWriter, entries: readonly AuditEntry[], store: Store): Promise<boolean> {
    const client = this.#deps.pool.client as Knex.Client;
    const connection: unknown = await client.acquireConnection();
    const lane = this.#take();
    try {
      const { rows, head } = await writer.sign(lane, entries);
      const isStored = await store(rows, (sql) => sql.connection(connection));
      this.#settle(lane, isStored ? head : lane);
      return isStored;
    } catch (error) {
      this.#giveUp(lane, error);
      throw error;
    } finally {
      await client.releaseConnection(connection);
    }
  }

  #take(): OpenLane {
    return this.#lanes.take(this.#deps.clock.now().getTime());
  }

  #settle(before: OpenLane, head: OpenLane): void {
    if (head.seq > before.seq) {
      this.#lanes.committed(head);
    } else {
      this.#lanes.undone(before);
    }
  }

  /** A lane of which nobody knows whether it has moved on is never used again. */
  #giveUp(before: OpenLane, error: unknown): void {
    if (isSurelyUndone(error)) {
      this.#lanes.undone(before);
    }
  }

  async #checkpoint(isFinal: boolean): Promise<string | undefined> {
    const heads = this.#lanes.since(this.#checkpointed);
    if (heads.length === 0 && !isFinal) {
      return undefined;
    }
    const writer = await this.writer();
    const hash = await this.#deps.pool.transaction(async (transaction) => {
      await lockJournal(transaction);
      return writer.record(transaction, 'checkpoint', checkpointBody(heads, isFinal));
    });
    heads.forEach(({ lane, seq }) => {
      this.#checkpointed.set(lane, seq);
    });
    this.#deps.log?.info('Audit checkpoint', { component: 'audit', checkpoint: hash });
    return hash;
  }
}
