import { type AuditRow, NOTHING_BEFORE, rowHash } from './audit-row.ts';
import type { AuditPeriod } from './filter-values.ts';
import type { JournalRecord, PruningPlan } from './journal-record.ts';
import type { AuditFinding, Report } from './verification.ts';
import { JournalCheck, type JournalFacts, type LaneBounds } from './journal-check.ts';
import { type InstallationKey, readRowSignature } from './signatures.ts';

/** The trail at one instant. */
export interface AuditSnapshot {
  /** @returns the journal, some records at a time, in the order of their numbers. Must be read before the rows */
  records(): AsyncIterable<readonly JournalRecord[]>;
  /** @returns the rows, some at a time, in the order of writer, lane, seq and id */
  rows(period?: AuditPeriod): AsyncIterable<readonly AuditRow[]>;
}

/** Administrators and keys, whose creation the trail records. */
interface RecordedInstallation {
  readonly administrators: readonly string[];
  /** Ids of the registered encryption keys, in order. */
  readonly keyIds: readonly string[];
}

/** The trail as it is stored, at one instant. */
export interface StoredSnapshot extends AuditSnapshot {
  installation(): Promise<RecordedInstallation>;
  /**
   * @param before the first instant of a month, UTC
   * @returns the rows and records that a prune would remove
   */
  planPruning(before: Date): Promise<PruningPlan>;
}

export interface TrailVerification {
  readonly rows: number;
  readonly records: number;
  /** The hash of the newest record of the journal, hexadecimal; empty where there is none. */
  readonly newest: string;
  readonly findings: number;
}

/** A verification of the stored trail. */
export interface VerifyRequest {
  /** Receives every finding as it is found. */
  readonly report: Report;
  /** The hash of a checkpoint, as a server has logged it: the trail must contain it. */
  readonly checkpoint?: string | undefined;
  /** Receives the number of rows checked so far, and the approximate number of all rows. Ends it by its error. */
  readonly progress?: ((rows: number, of: number) => void | Promise<void>) | undefined;
}

/** A verification of any trail. */
interface VerificationOptions extends VerifyRequest {
  readonly keys: readonly InstallationKey[];
  /** False for a part of the trail, in which missing rows are not reported. */
  readonly isWhole?: boolean;
  /** Facts of the trail's installation; undefined if unknown, as for an export. */
  readonly installation?: RecordedInstallation;
  /** The approximate number of rows. */
  readonly of?: number;
}

/** Verifies a trail, in memory for its lanes, not for its rows. Every finding is reported as it is found. */
export async function verifyTrail(
  snapshot: AuditSnapshot,
  {
    keys,
    checkpoint,
    progress = () => undefined,
    isWhole = true,
    installation,
    of = 0,
    ...options
  }: VerificationOptions,
): Promise<TrailVerification> {
  let findings = 0;
  const report: Report = (finding) => {
    findings += 1;
    options.report(finding);
  };
  const journal = new JournalCheck({ keys, checkpoint, report });
  for await (const records of snapshot.records()) {
    for (const record of records) {
      await journal.check(record);
    }
    await progress(0, of);
  }
  const facts = await journal.finish();
  const rowCheck = new RowCheck(facts, report, isWhole);
  const emptied = installation && new EmptiedCheck(installation);
  for await (const rows of snapshot.rows()) {
    await rowCheck.check(rows);
    emptied?.check(rows);
    await progress(rowCheck.rows, Math.max(rowCheck.rows, of));
  }
  rowCheck.finish();
  emptied?.finish(facts).forEach(report);
  const { records, newest } = facts;
  return { rows: rowCheck.rows, records, newest, findings };
}

/**
 * Detects a trail that was emptied together with its journal, which leaves no broken chain behind. The rest of the
 * database shows it: each administrator was created by an audited act, and the journal is older than the first use of a
 * key.
 */
class EmptiedCheck {
  readonly #installation: RecordedInstallation;
  /** Administrators whose creation no row has recorded yet. */
  readonly #unrecorded: Set<string>;
  #rows = 0;

  constructor(installation: RecordedInstallation) {
    this.#installation = installation;
    this.#unrecorded = new Set(installation.administrators);
  }

  check(rows: readonly AuditRow[]): void {
    this.#rows += rows.length;
    for (const { action, outcome, subject } of rows) {
      if (outcome === 'created' && action.startsWith('administrator/')) {
        this.#unrecorded.delete(subject);
      }
    }
  }

  /** @returns the findings, after the last row. A prune removes rows, but leaves its own */
  finish({ records, isPruned }: Pick<JournalFacts, 'records' | 'isPruned'>): readonly AuditFinding[] {
    if (this.#rows > 0) {
      const unrecorded = isPruned ? [] : [...this.#unrecorded];
      return unrecorded.map((name) => removed(`none tells who made the administrator '${name}'`));
    }
    const {
      administrators: [name],
      keyIds: [keyId],
    } = this.#installation;
    if (name !== undefined) {
      return [removed(`there is none at all, though there is the administrator '${name}'`)];
    }
    return keyId !== undefined && records === 0
      ? [removed(`there is none at all, and no journal, though the encryption key ${keyId} is in use`)]
      : [];
  }
}

function removed(reason: string): AuditFinding {
  return { kind: 'removed', of: 'row', id: null, writer: null, lane: null, seq: null, at: null, reason };
}

const NOT_SIGNED = 'it does not match its signature';

interface CheckedRow {
  readonly row: AuditRow;
  readonly isSound: boolean;
}

/** The next expected place in a lane. */
interface LanePosition {
  readonly lane: string;
  readonly bounds: LaneBounds;
  readonly seq: number;
  /** The hash of the previous row; undefined where that one cannot be trusted. */
  readonly hash: Buffer | undefined;
}

/** Checks rows in the order of writer, lane, seq and id. Keeps only the rows of one place in memory. */
class RowCheck {
  readonly #facts: JournalFacts;
  readonly #report: Report;
  readonly #isWhole: boolean;
  readonly #seen = new Set<string>();
  #place: LanePosition | undefined;
  /** The chosen row among those for the current place. */
  #chosen: CheckedRow | undefined;
  #rows = 0;

  /** @param isWhole true if the rows are the whole trail; otherwise missing rows are not reported */
  constructor(facts: JournalFacts, report: Report, isWhole: boolean) {
    this.#facts = facts;
    this.#report = report;
    this.#isWhole = isWhole;
  }

  get rows(): number {
    return this.#rows;
  }

  /** @param rows the next ones; their signatures are verified concurrently */
  async check(rows: readonly AuditRow[]): Promise<void> {
    const checked = await Promise.all(rows.map(async (row) => ({ row, isSound: await this.#isSound(row) })));
    for (const one of checked) {
      this.#rows += 1;
      this.#checkRow(one);
    }
  }

  finish(): void {
    this.#endLane();
    if (!this.#isWhole) {
      return;
    }
    for (const [lane, bounds] of this.#facts.lanes) {
      if (!this.#seen.has(lane)) {
        this.#endOf({ lane, bounds, ...beginOf(bounds) });
      }
    }
  }

  async #isSound(row: AuditRow): Promise<boolean> {
    const verifier = this.#facts.writers.get(row.writer);
    const read = readRowSignature(row.hash, row.signature);
    return (
      verifier !== undefined &&
      read !== undefined &&
      rowHash(row).equals(row.hash) &&
      (await verifier.verify(read.signed, read.signature))
    );
  }

  #checkRow(one: CheckedRow): void {
    const { row } = one;
    if (!this.#facts.writers.has(row.writer)) {
      this.#report(about('inserted', row, `there is no certified writer ${row.writer}`));
      return;
    }
    if (this.#chosen !== undefined && !isSamePlace(this.#chosen.row, row)) {
      this.#endSeq();
    }
    const lane = `${row.writer}/${row.lane}`;
    if (this.#place?.lane !== lane) {
      this.#endLane();
      const bounds = this.#facts.lanes.get(lane) ?? {};
      this.#seen.add(lane);
      this.#place = { lane, bounds, ...beginOf(bounds) };
    }
    this.#choose(one);
  }

  /** Keeps one row for a place, since at most one is signed for it and there may be any number. */
  #choose(one: CheckedRow): void {
    const before = this.#chosen;
    const isBetter = before === undefined || (one.isSound && !before.isSound);
    this.#chosen = isBetter ? one : before;
    const other = isBetter ? before : one;
    if (other !== undefined) {
      this.#report(about('inserted', other.row, 'its place in the lane is that of another row'));
    }
  }

  #endSeq(): void {
    const chosen = this.#chosen;
    const place = this.#place;
    this.#chosen = undefined;
    if (chosen !== undefined && place !== undefined) {
      this.#place = this.#follow(place, chosen);
    }
  }

  #follow(place: LanePosition, { row, isSound }: CheckedRow): LanePosition {
    if (row.seq < place.seq) {
      this.#report(about('inserted', row, `the lane begins with row ${place.seq}`));
      return place;
    }
    if (row.seq > place.seq) {
      this.#reportMissing(place, row.seq - 1, `before row ${row.id}`);
    }
    const finding = isSound ? this.#findMisplaced(place, row) : about('changed', row, NOT_SIGNED);
    if (finding !== undefined) {
      this.#report(finding);
    }
    return { ...place, seq: row.seq + 1, hash: isSound ? row.hash : undefined };
  }

  /** Checks the place of a row with a correct signature. */
  #findMisplaced({ seq, hash, bounds: { head } }: LanePosition, row: AuditRow): AuditFinding | undefined {
    const isNext = this.#isWhole && row.seq === seq && hash !== undefined;
    if (isNext && !row.prevHash.equals(hash)) {
      return about('reordered', row, 'it follows another row than it was signed to');
    }
    return head?.seq === row.seq && !head.hash.equals(row.hash)
      ? about('changed', row, `checkpoint ${head.checkpoint} names another row in its place`)
      : undefined;
  }

  #endLane(): void {
    this.#endSeq();
    if (this.#place !== undefined) {
      this.#endOf(this.#place);
    }
    this.#place = undefined;
  }

  #endOf(place: LanePosition): void {
    const { head } = place.bounds;
    if (head !== undefined && head.seq >= place.seq) {
      this.#reportMissing(place, head.seq, `at the end of the lane, as checkpoint ${head.checkpoint} says`);
    }
  }

  #reportMissing({ lane, seq }: LanePosition, last: number, where: string): void {
    if (!this.#isWhole) {
      return;
    }
    const [writer = 0, number = 0] = lane.split('/').map(Number);
    this.#report({
      kind: 'removed',
      of: 'row',
      id: null,
      writer,
      lane: number,
      at: null,
      seq: seq === last ? String(seq) : `${seq}-${last}`,
      reason: where,
    });
  }
}

function beginOf({ cut }: LaneBounds): Pick<LanePosition, 'seq' | 'hash'> {
  return { seq: (cut?.seq ?? 0) + 1, hash: cut?.hash ?? NOTHING_BEFORE };
}

function isSamePlace(left: AuditRow, right: AuditRow): boolean {
  return left.writer === right.writer && left.lane === right.lane && left.seq === right.seq;
}

function about(kind: AuditFinding['kind'], row: AuditRow, reason: string): AuditFinding {
  const { id, writer, lane, seq, at } = row;
  return { kind, of: 'row', id, writer, lane, seq: String(seq), at, reason };
}
