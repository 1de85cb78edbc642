import type { Knex } from 'knex';
import type { NewAuditRow } from '../audit/audit-row.ts';
import { addAuditFields } from '../audit/rows-store.ts';
import type { NotedEntry } from '../webhooks/webhook-event.ts';
import type { EventRow } from '../webhooks/outbox-store.ts';
import { DatabaseUnavailable, isSurelyUndone } from './database-faults.ts';
import type { Database } from './database.ts';
import type { PreparedStatement, RunPrepared } from './prepared-statements.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';

export interface SharedWorkOptions<Item, Result> {
  /**
   * Works on items together.
   * @returns an outcome for each item, in their order
   * @throws the error of all of them
   */
  readonly work: (items: readonly Item[]) => Promise<readonly PromiseSettledResult<Result>[]>;
  /** The most items of a group. */
  readonly maxItems: number;
  /** The most groups at work at once. */
  readonly maxGroups: number;
  /** The longest wait of an item for its group to begin, in milliseconds. */
  readonly maxWaitMs: number;
  /** @returns the error of an item that has waited too long */
  readonly refuse: () => Error;
}

interface WaitingItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Work that costs little more for several items than for one. An item that comes alone is worked on at once; those that
 * come while the groups before are at work make the next group.
 */
export class SharedWork<Item, Result> {
  readonly #options: SharedWorkOptions<Item, Result>;
  readonly #waiting: WaitingItem<Item, Result>[] = [];
  #groups = 0;
  #isDue = false;

  constructor(options: SharedWorkOptions<Item, Result>) {
    this.#options = options;
  }

  /** @throws the error of this item, or of its whole group, or of a wait that is too long */
  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(this.#options.refuse());
      }, this.#options.maxWaitMs);
      const waiting = { item, resolve, reject, timer };
      this.#waiting.push(waiting);
      this.#plan();
    });
  }

  /** Begins the next group once the items that have arrived together are all here. */
  #plan(): void {
    if (!this.#isDue && this.#waiting.length > 0 && this.#groups < this.#options.maxGroups) {
      this.#isDue = true;
      setImmediate(() => {
        this.#isDue = false;
        if (this.#waiting.length > 0) {
          void this.#begin();
        }
        this.#plan();
      });
    }
  }

  async #begin(): Promise<void> {
    const group = this.#waiting.splice(0, this.#options.maxItems);
    group.forEach(({ timer }) => {
      clearTimeout(timer);
    });
    this.#groups += 1;
    try {
      const outcomes = await this.#options.work(group.map(({ item }) => item));
      group.forEach(({ resolve, reject }, place) => {
        const outcome = outcomes[place];
        if (outcome?.status === 'fulfilled') {
          resolve(outcome.value);
        } else {
          reject(
            outcome === undefined ? new Error('shared work has no outcome for an item') : outcome.reason,
          );
        }
      });
    } catch (error) {
      group.forEach(({ reject }) => {
        reject(error);
      });
    } finally {
      this.#groups -= 1;
      this.#plan();
    }
  }
}

/** The error of a request that has waited too long for its turn. Nothing of it was sent to the database. */
function refuseLate(): DatabaseUnavailable {
  return new DatabaseUnavailable('the statements before it took too long');
}

/** Finds rows by a text, where requests that come at the same time share one statement. */
export class SharedLookup<Row> {
  readonly #shared: SharedWork<string, readonly Row[]>;

  /**
   * @param name unique in the program
   * @param select selects the rows in which a column is `requested.key`, which the caller adds as the condition
   */
  constructor(
    { prepared, sharing }: Pick<Database, 'prepared' | 'sharing'>,
    name: string,
    select: Knex.QueryBuilder,
  ) {
    // LATERAL: one lookup in the index for each key, also while the tables are small or the plan is old.
    const statement: PreparedStatement<Row & { readonly place: string }> = {
      name,
      text: `SELECT requested.place, found.*
        FROM json_array_elements_text($1::json) WITH ORDINALITY AS requested(key, place)
        CROSS JOIN LATERAL (${select.toQuery()}) AS found`,
    };
    this.#shared = new SharedWork<string, readonly Row[]>({
      ...sharing,
      refuse: refuseLate,
      work: async (keys) => {
        const rows = await prepared.run(statement, [JSON.stringify(keys)]);
        const found: Row[][] = keys.map(() => []);
        rows.forEach((row) => found[Number(row.place) - 1]?.push(row));
        return found.map((value) => ({ status: 'fulfilled', value }));
      },
    });
  }

  /** @param key a text that the database can hold */
  async find(key: string): Promise<Row | undefined> {
    return (await this.all(key))[0];
  }

  /** @param key a text that the database can hold */
  all(key: string): Promise<readonly Row[]> {
    return this.#shared.do(key);
  }
}

/** The columns of a row of `request`, without its place and its audit row. */
export type ColumnValues = Readonly<Record<string, unknown>>;

/** A write for one token, with its audit row. */
export interface TokenWrite {
  /** Of the token: of several writes for one token, a statement has one. */
  readonly key: string;
  readonly columns: ColumnValues;
  readonly entry: NotedEntry;
}

/** A row of the answer: the place of a request whose rows are locked, and the number of audit rows written. */
export interface LockedRow {
  readonly place: number;
  readonly written: number;
}

/**
 * A prepared statement that writes for tokens: the rows of `request`, each with its audit row, all of them or none. Its
 * first parameter has the rows as JSON, so that one plan serves any number; its second one the events. Its part `locked`
 * locks all rows that it changes, so that it cannot write in part because one of them is just being deleted. It waits
 * for no lock: a row that is locked counts as changed, hence no two such statements wait for each other. `request` has
 * conditions that always hold: without them the planner would expect a hundred rows and read whole tables.
 */
export type WritingStatement<Row extends LockedRow = LockedRow> = PreparedStatement<Row>;

function runWrites<Row extends LockedRow>(
  run: RunPrepared,
  statement: WritingStatement<Row>,
  writes: readonly Pick<TokenWrite, 'columns'>[],
  audited: readonly NewAuditRow[],
  events: readonly EventRow[],
): Promise<readonly Row[]> {
  const rows = audited.map((row, place) => addAuditFields({ place, ...writes[place]?.columns }, row));
  return run(statement, [JSON.stringify(rows), JSON.stringify(events)]);
}

/**
 * Writes for one token in a transaction that holds its lock.
 * @returns false if it was not written: what the transaction has written must not stay
 */
export function writeLocked(
  { audit }: UnitOfWork,
  statement: WritingStatement,
  { columns, entry }: Omit<TokenWrite, 'key'>,
): Promise<boolean> {
  return audit.writeBy([entry], async (audited, run, events) => {
    const [row] = await runWrites(run, statement, [{ columns }], audited, events);
    return row?.written === 1;
  });
}

/**
 * Writes for tokens, where requests that come at the same time share one statement and one commit. If one of them cannot
 * be locked, as it has changed meanwhile, it is left out and the others are written. If the statement fails and has surely
 * written nothing, each is written by a statement of its own; where its outcome is unknown, all fail.
 */
export class SharedWrites<Row extends LockedRow = LockedRow> {
  readonly #database: Database;
  readonly #statement: WritingStatement<Row>;
  readonly #shared: SharedWork<TokenWrite, Row | undefined>;

  constructor(database: Database, statement: WritingStatement<Row>) {
    this.#database = database;
    this.#statement = statement;
    this.#shared = new SharedWork({
      ...database.sharing,
      refuse: refuseLate,
      work: (writes) => this.#writeGroup(writes),
    });
  }

  /** @returns the row of the write; undefined, and nothing is written, if the token cannot be locked */
  do(write: TokenWrite): Promise<Row | undefined> {
    return this.#shared.do(write);
  }

  /** As `do`, in a statement of its own, whose wait is nobody else's. */
  async doAlone(write: TokenWrite): Promise<Row | undefined> {
    return (await this.#writeLocked([write])).get(write);
  }

  async #writeGroup(
    writes: readonly TokenWrite[],
  ): Promise<readonly PromiseSettledResult<Row | undefined>[]> {
    // Of several writes for one token, one can be written. The last one has probably read the newest version.
    const latest = [...new Map(writes.map((write) => [write.key, write])).values()];
    try {
      const written = await this.#writeLocked(latest);
      return writes.map((write) => ({ status: 'fulfilled', value: written.get(write) }));
    } catch (error) {
      if (writes.length === 1 || !isSurelyUndone(error)) {
        throw error;
      }
      return Promise.allSettled(writes.map((write) => this.doAlone(write)));
    }
  }

  /** @returns the rows of those that are written: all but the ones that cannot be locked */
  async #writeLocked(writes: readonly TokenWrite[]): Promise<ReadonlyMap<TokenWrite, Row>> {
    let left = writes;
    while (left.length > 0) {
      const { isWritten, locked } = await this.#write(left);
      if (isWritten) {
        return locked;
      }
      left = left.filter((write) => locked.has(write));
    }
    return new Map();
  }

  async #write(
    writes: readonly TokenWrite[],
  ): Promise<{ readonly isWritten: boolean; readonly locked: ReadonlyMap<TokenWrite, Row> }> {
    const locked = new Map<TokenWrite, Row>();
    const isWritten = await this.#database.audit.writeBy(
      writes.map(({ entry }) => entry),
      async (audited, run, events) => {
        const rows = await runWrites(run, this.#statement, writes, audited, events);
        locked.clear();
        for (const row of rows) {
          const write = writes[row.place];
          if (write !== undefined) {
            locked.set(write, row);
          }
        }
        const written = rows[0]?.written ?? 0;
        if (written !== (locked.size === writes.length ? writes.length : 0)) {
          throw new Error(`a statement has written ${written} of ${writes.length} audit rows`);
        }
        return written > 0;
      },
    );
    return { isWritten, locked };
  }
}

/** Milliseconds of waiting after which work fails with the work before it, instead of being tried. */
const TIMEOUT_MS = 2_000;

/**
 * Queues work of one kind inside this process, so that it does not wait inside the database, where each waiter holds a
 * connection. Work of different keys does not wait for each other.
 */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #timeoutMs: number;

  /** @param timeoutMs in milliseconds; two seconds by default */
  constructor(timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Runs `work` after all earlier work of this key has ended, well or not. Where a row stays locked, each would wait
   * for it until its time-out, one after the other: work that has waited for long therefore fails with the one before.
   * @param work gets true where it has waited: what was read before may have changed
   * @throws ServiceError 'database.unavailable', or what `work` throws
   */
  async run<T>(key: string, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const since = performance.now();
    const afterFailure = (fault: unknown): Promise<T> => {
      if (isServiceError(fault, 'database.unavailable') && performance.now() - since >= this.#timeoutMs) {
        // Has no detail: the failure of the one before is logged.
        throw new ServiceError('database.unavailable', fault.message);
      }
      return work(true);
    };
    const mine = before === undefined ? work(false) : before.then(() => work(true), afterFailure);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) {
        this.#last.delete(key);
      }
    }
  }
}
