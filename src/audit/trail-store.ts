import { EventOutbox } from '../webhooks/outbox-store.ts';
import type { Knex } from 'knex';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  checkpointBody,
  type JournalRecord,
  type KeyBody,
  type LaneHead,
  recordHash,
  type WriterBody,
} from './journal-record.ts';
import {
  type AuditAuthority,
  newSigningKey,
  type SigningKey,
  MAX_TREE_ROWS,
  signTogether,
} from './signatures.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { AuditRows, type StoreRows } from './rows-store.ts';
import { translateDatabaseFault, isSurelyUndone } from '../database/database-faults.ts';
import { withExtraConnection } from '../database/knex-internals.ts';
import { type PreparedStatements, preparedWithin, repeatAborted } from '../database/prepared-statements.ts';
import { type UnitOfWork, beginLongWork } from '../database/unit-of-work.ts';
import type { NotedEntry } from '../webhooks/webhook-event.ts';
import { type AuditEntry, type AuditRow, auditTime, NOTHING_BEFORE, rowHash, columnOf } from './audit-row.ts';

/** Longest wait of a closing pool for its last checkpoint, in milliseconds. */
const TIMEOUT_MS = 500;

interface AuditTrailDependencies {
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
  readonly outbox = new EventOutbox();

  constructor(options: AuditTrailDependencies) {
    this.#deps = options;
  }

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

/** Bits of an id that number the rows of a writer; the bits above are the writer's. */
const ROW_BITS = 32n;

/** In place of the hash and the signature of a row until it has them. */
const NOT_YET: Buffer = Buffer.alloc(0);

/** A lane that a transaction continues, or may continue. */
interface OpenLane extends LaneHead {
  /** The time of its last row in milliseconds; 0: it has none. */
  readonly at: number;
}

/** Rows of a lane that are ready to be stored, and the end of the lane after them. */
interface SignedRows {
  readonly rows: readonly AuditRow[];
  readonly head: OpenLane;
}

/** A key pair that lives in this process only, and its number in the journal. */
class AuditWriter {
  readonly number: number;
  readonly #key: SigningKey;
  readonly #clock: Clock;
  #rows = 0n;

  private constructor(number: number, key: SigningKey, clock: Clock) {
    this.number = number;
    this.#key = key;
    this.#clock = clock;
  }

  /**
   * Registers a new writer in the journal, together with the installation's older keys, which later writers and
   * verifiers need.
   * @param authority certifies the writer; undefined: verification will report its rows
   */
  static async introduce(
    transaction: Knex.Transaction,
    name: string,
    authority: AuditAuthority | undefined,
    clock: Clock,
  ): Promise<AuditWriter> {
    const key = newSigningKey();
    // A server that starts during a pruning waits for its end.
    await beginLongWork(transaction);
    await transaction.raw('SET LOCAL lock_timeout = 0');
    await lockJournal(transaction);
    const at = auditTime(clock.now());
    const body: WriterBody = { publicKey: key.publicKey.toString('base64'), name };
    const draft: RecordDraft = {
      kind: 'writer',
      at,
      writer: 0,
      body: JSON.stringify(body),
      keyId: authority?.keys()[0].keyId ?? '',
    };
    const sign = (hash: Uint8Array): Buffer => authority?.sign(hash) ?? Buffer.alloc(0);
    const { number } = await appendRecord(transaction, draft, sign);
    if (authority !== undefined) {
      await vouchForOlderKeys(transaction, authority, at);
    }
    return new AuditWriter(number, key, clock);
  }

  /** @returns the entries as rows that follow each other in the lane; their times never decrease */
  sign(lane: OpenLane, entries: readonly AuditEntry[]): SignedRows {
    // A clock that is set back must not put a row into a month that may be removed before the rows in front of it.
    const time = Math.max(lane.at, this.#clock.now().getTime());
    const at = auditTime(new Date(time));
    let head = lane;
    const rows = entries.map(({ actor, action, subject, realm, outcome, client, requestId, transaction }) => {
      this.#rows += 1n;
      const row = {
        id: ((BigInt(this.number) << ROW_BITS) + this.#rows).toString(),
        at,
        actor,
        action,
        subject,
        realm,
        outcome,
        client,
        requestId,
        transaction,
        writer: this.number,
        lane: lane.lane,
        seq: head.seq + 1,
        prevHash: head.hash,
        hash: NOT_YET,
        signature: NOT_YET,
      };
      row.hash = rowHash(row);
      head = { lane: lane.lane, seq: row.seq, hash: row.hash, at: time };
      return row;
    });
    for (let from = 0; from < rows.length; from += MAX_TREE_ROWS) {
      const together = rows.slice(from, from + MAX_TREE_ROWS);
      const signatures = signTogether(
        together.map(({ hash }) => hash),
        (bytes) => this.#key.sign(bytes),
      );
      together.forEach((row, place) => {
        row.signature = signatures[place] ?? NOT_YET;
      });
    }
    return { rows, head };
  }

  /** Appends a record of this writer to the journal, whose lock the caller holds. @returns its hash, hexadecimal */
  async record(transaction: Knex.Transaction, kind: 'checkpoint' | 'prune', body: string): Promise<string> {
    const at = auditTime(this.#clock.now());
    const draft: RecordDraft = { kind, at, writer: this.number, keyId: '', body };
    const { hash } = await appendRecord(transaction, draft, (bytes) => this.#key.sign(bytes));
    return hash.toString('hex');
  }
}

/** Vouches for older keys: their records stay valid after they were removed from the key file. */
async function vouchForOlderKeys(
  transaction: Knex.Transaction,
  authority: AuditAuthority,
  at: string,
): Promise<void> {
  const [current, ...older] = authority.keys();
  for (const { keyId, publicKey } of older) {
    const body: KeyBody = { keyId, publicKey: publicKey.toString('base64') };
    const text = JSON.stringify(body);
    const known: unknown = await transaction('audit_journal')
      .where({ kind: 'key', key_id: current.keyId, body: text })
      .first('number');
    if (known === undefined) {
      const draft: RecordDraft = { kind: 'key', at, writer: 0, keyId: current.keyId, body: text };
      await appendRecord(transaction, draft, (hash) => authority.sign(hash));
    }
  }
}

/** The advisory lock of appending to the journal. "tank", "jour". */
const JOURNAL_LOCK = [0x74616e6b, 0x6a6f7572] as const;

/** The content of a record, without its place. */
type RecordDraft = Pick<JournalRecord, 'kind' | 'at' | 'writer' | 'keyId' | 'body'>;

/** Prevents others from appending until commit. */
export async function lockJournal(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw('SELECT pg_advisory_xact_lock(?, ?)', [...JOURNAL_LOCK]);
}

/** Appends to the journal, whose lock the caller holds. @returns the record as it is stored */
async function appendRecord(
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
  await transaction('audit_journal').insert(
    Object.fromEntries(Object.entries(record).map(([member, value]) => [columnOf(member), value])),
  );
  return record;
}

/**
 * Signs the entries as the next rows of a lane and has them stored.
 * @param store returns false if it has written nothing
 * @returns the result of `store`
 */
type WriteInLane = (
  entries: readonly AuditEntry[],
  store: (rows: readonly AuditRow[]) => Promise<boolean>,
) => Promise<boolean>;

/** The most milliseconds a lane may be ahead of the clock. Its next row then repeats the time of the row before. */
const AHEAD_MS = 1_000;

/**
 * The chains of one writer. Each transaction that writes audit rows takes one and returns it at its end. Transactions
 * therefore do not wait for each other, and there are no more lanes than concurrent transactions, except after a clock
 * was set back: times never decrease in a lane, so that months cut it at one place.
 */
class AuditLanes {
  readonly #writer: () => Promise<AuditWriter>;
  readonly #now: () => Date;
  readonly #free: OpenLane[] = [];
  readonly #committed = new Map<number, LaneHead>();
  #count = 0;

  constructor(writer: () => Promise<AuditWriter>, now: () => Date) {
    this.#writer = writer;
    this.#now = now;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Runs a transaction, which has one lane from its first audit row until its end. The lane moves on if the transaction
   * is committed, and ends as before if it is surely undone. After an unknown outcome the lane is never used again.
   */
  async during<T>(transaction: (write: WriteInLane) => Promise<T>): Promise<T> {
    const lease: { before?: OpenLane; head?: OpenLane; isBroken: boolean } = { isBroken: false };
    const write: WriteInLane = async (entries, store) => {
      const writer = await this.#writer();
      lease.before ??= this.#acquire();
      const last = lease.head ?? lease.before;
      const { rows, head } = writer.sign(last, entries);
      lease.head = head;
      // Where storing rows fails, PostgreSQL rolls back, even on COMMIT.
      lease.isBroken = true;
      const isStored = await store(rows);
      lease.isBroken = false;
      lease.head = isStored ? head : last;
      return isStored;
    };
    try {
      const result = await transaction(write);
      const { before, head, isBroken } = lease;
      if (before !== undefined && head !== undefined && !isBroken) {
        this.#release(before, head);
      }
      return result;
    } catch (error) {
      if (lease.before !== undefined && isSurelyUndone(error)) {
        this.#free.push(lease.before);
      }
      throw error;
    }
  }

  /** @returns the last rows known to be committed, of the lanes that have moved on from `before` */
  since(before: ReadonlyMap<number, number>): readonly LaneHead[] {
    return [...this.#committed.values()].filter(({ lane, seq }) => before.get(lane) !== seq);
  }

  #acquire(): OpenLane {
    const now = this.#now().getTime();
    const place = this.#free.findLastIndex(({ at }) => at <= now + AHEAD_MS);
    const [free] = place < 0 ? [] : this.#free.splice(place, 1);
    if (free !== undefined) {
      return free;
    }
    this.#count += 1;
    return { lane: this.#count, seq: 0, hash: NOTHING_BEFORE, at: 0 };
  }

  #release(before: OpenLane, head: OpenLane): void {
    if (head.seq > before.seq) {
      this.#committed.set(head.lane, head);
    }
    this.#free.push(head);
  }
}
