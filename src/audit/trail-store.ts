import { EventOutbox } from '../webhooks/outbox-store.ts';
import type { Knex } from 'knex';
import { setTimeout as sleep } from 'node:timers/promises';

import { checkpointBody } from './journal-record.ts';
import type { AuditAuthority } from './signing-key.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { AuditLanes, AuditWriter, lockJournal } from './writer-store.ts';
import { AuditRows, type StoreRows } from './rows-store.ts';
import { translateDatabaseFault } from '../database/database-faults.ts';
import { withExtraConnection } from '../database/knex-internals.ts';
import { type PreparedStatements, preparedWithin, repeatAborted } from '../database/prepared-statements.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import type { NotedEntry } from '../webhooks/webhook-event.ts';

/** Longest wait of a closing pool for its last checkpoint, in milliseconds. */
const TIMEOUT_MS = 500;

/** The dependencies of a pool's trail. */
export interface AuditTrailDependencies {
  readonly pool: Knex;
  readonly prepared: PreparedStatements;
  /** The name of the process, for people: `tankeeper server`. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log | undefined;
}

/**
 * The writer of a pool's audit rows (docs/adr/0013-audit-chains.md). It registers in the journal before its first row.
 * Each transaction that writes rows has a lane, a chain of its own, which moves on when it commits.
 */
export class AuditTrail {
  readonly #deps: AuditTrailDependencies;
  readonly #lanes = new AuditLanes(
    () => this.writer(),
    () => this.#deps.clock.now(),
  );
  readonly #checkpointed = new Map<number, number>();
  #authority: AuditAuthority | undefined;
  #writer: Promise<AuditWriter> | undefined;
  #checkpointing: Promise<unknown> = Promise.resolve();

  /** Writes rows of acts without a transaction: each call has its own. */
  readonly autocommit = new AuditRows((entries, store) => this.writeBy(entries, store));
  /** The events of the acts. */
  readonly outbox = new EventOutbox();

  constructor(options: AuditTrailDependencies) {
    this.#deps = options;
  }

  /** The number of lanes of this writer. */
  get lanes(): number {
    return this.#lanes.count;
  }

  /** Sets the authority, before the first row is written. Without one, verification reports every row as inserted. */
  certifyBy(authority: AuditAuthority): void {
    this.#authority = authority;
  }

  /**
   * Registers the writer unless it is registered. Servers do so at their start.
   * @throws ServiceError 'database.unavailable'
   */
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

  /** Runs a transaction that writes its audit rows itself: they have a lane, which moves on with the commit. */
  async transact<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    return this.#lanes.during((write) =>
      this.#deps.pool.transaction((sql) => {
        const run = preparedWithin(sql);
        const audit = new AuditRows((entries, store) =>
          write(entries, (rows) => store(rows, run, this.outbox.eventsOf(entries, rows))),
        );
        return work({ sql, audit });
      }),
    );
  }

  /**
   * Writes the ends of the lanes to the journal and to the log, so that rows missing from the trail later are noticed.
   * @param isFinal true if it is the writer's last one, after which pruning may forget the writer
   * @returns the hash of the checkpoint; undefined if nothing was written since the last one
   */
  async checkpoint(isFinal = false): Promise<string | undefined> {
    const turn = this.#checkpointing.then(() => this.#checkpoint(isFinal));
    this.#checkpointing = turn.catch(() => undefined);
    return turn;
  }

  /** Ends with a last checkpoint, if the database takes it within half a second. */
  async close(): Promise<void> {
    if (this.#writer === undefined) {
      return;
    }
    const last = this.checkpoint(true).catch(() => undefined);
    await Promise.race([last, sleep(TIMEOUT_MS, undefined, { ref: false })]);
  }

  /**
   * Signs entries as the next rows of a lane, for one prepared statement that writes them, and whatever depends on them.
   * A statement that PostgreSQL aborts in favour of others is repeated. Takes the connection first, then the lane: there
   * are never more lanes than connections.
   * @returns the result of `store`
   */
  async writeBy(entries: readonly NotedEntry[], store: StoreRows): Promise<boolean> {
    await this.writer();
    return repeatAborted(() =>
      this.#deps.prepared.onConnection((run) =>
        this.#lanes.during((write) =>
          write(entries, (rows) => store(rows, run, this.outbox.eventsOf(entries, rows))),
        ),
      ),
    );
  }

  /** Uses no connection of the pool: all of these may be held by transactions that wait for the writer. */
  #introduce(): Promise<AuditWriter> {
    const { pool, name, clock } = this.#deps;
    return withExtraConnection(pool, (connection) =>
      pool.transaction(
        async (transaction) => {
          await this.outbox.refresh(transaction);
          return AuditWriter.introduce(transaction, name, this.#authority, clock);
        },
        { connection },
      ),
    );
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
