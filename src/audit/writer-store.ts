import type { Knex } from 'knex';

import { type AuditEntry, type AuditRow, auditTime, rowHash } from './audit-row.ts';
import type { KeyBody, LaneHead, WriterBody } from './journal-record.ts';
import type { AuditAuthority } from './signing-key.ts';
import { MAX_TREE_ROWS, signTogether } from './row-tree.ts';
import { newSigningKey, type SigningKey } from './signing-key.ts';
import type { Clock } from '../kernel/clock.ts';
import { appendRecord, lockJournal, type RecordDraft } from './journal-store.ts';
import { beginLongWork } from '../database/unit-of-work.ts';

/** Bits of an id that number the rows of a writer; the bits above are the writer's. */
const ROW_BITS = 32n;

/** A lane that a transaction continues, or may continue. */
export interface OpenLane extends LaneHead {
  /** The time of its last row in milliseconds; 0: it has none. */
  readonly at: number;
}

/** Rows of a lane that are ready to be stored, and the end of the lane after them. */
interface SignedRows {
  readonly rows: readonly AuditRow[];
  readonly head: OpenLane;
}

/** A key pair that lives in this process only, and its number in the journal. */
export class AuditWriter {
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
    const hashed = entries.map((entry) => {
      this.#rows += 1n;
      const place = { writer: this.number, lane: lane.lane, seq: head.seq + 1, prevHash: head.hash };
      const id = ((BigInt(this.number) << ROW_BITS) + this.#rows).toString();
      const row = { id, at, ...entry, ...place };
      head = { lane: lane.lane, seq: place.seq, hash: rowHash(row), at: time };
      return { ...row, hash: head.hash };
    });
    const rows: AuditRow[] = [];
    for (let from = 0; from < hashed.length; from += MAX_TREE_ROWS) {
      const together = hashed.slice(from, from + MAX_TREE_ROWS);
      const signatures = signTogether(
        together.map(({ hash }) => hash),
        (bytes) => this.#key.sign(bytes),
      );
      rows.push(
        ...together.map((row, place) => ({ ...row, signature: signatures[place] ?? Buffer.alloc(0) })),
      );
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
