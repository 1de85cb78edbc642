import type { Knex } from 'knex';

import type { Clock } from '../kernel/clock.ts';
import {
  type PreparedStatements,
  preparedWithin,
  repeatAborted,
  type RunPrepared,
} from '../database/prepared-statements.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { EventOutbox } from '../webhooks/outbox-store.ts';
import type { NotedEntry } from '../webhooks/webhook-event.ts';
import { auditTime } from './audit-row.ts';
import { AuditRows, type StoreRows } from './rows-store.ts';

/** Writes the audit rows of a pool, within the transaction or the statement of their act. */
export class AuditWriter {
  readonly #deps;
  readonly outbox = new EventOutbox();
  /** Writes rows of acts without a transaction: each call has its own. */
  readonly autocommit = new AuditRows((entries, store) => this.writeBy(entries, store));
  #hasWritten = false;

  constructor(dependencies: {
    readonly pool: Knex;
    readonly prepared: PreparedStatements;
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /** True if rows may have been written, which are to be sealed. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** Runs a transaction that writes its audit rows itself. */
  transact<T>(work: (unit: UnitOfWork) => Promise<T>, pool = this.#deps.pool): Promise<T> {
    return pool.transaction((sql) => {
      const run = preparedWithin(sql);
      const audit = new AuditRows(async (entries, store) => {
        await this.outbox.open(sql);
        return this.#store(entries, store, run);
      });
      return work({ sql, audit });
    });
  }

  /**
   * Has entries stored by one prepared statement, and whatever depends on them. A statement that PostgreSQL aborts in
   * favour of others is repeated.
   * @returns the result of `store`
   */
  async writeBy(entries: readonly NotedEntry[], store: StoreRows): Promise<boolean> {
    await this.outbox.open(this.#deps.pool);
    return repeatAborted(() => this.#deps.prepared.onConnection((run) => this.#store(entries, store, run)));
  }

  #store(entries: readonly NotedEntry[], store: StoreRows, run: RunPrepared): Promise<boolean> {
    this.#hasWritten = true;
    const at = auditTime(this.#deps.clock.now());
    const rows = entries.map((entry) => ({ ...entry, at }));
    return store(rows, run, this.outbox.eventsOf(entries, rows));
  }
}
