import { type AuditRow, NOTHING_BEFORE, rowHash } from './audit-row.ts';
import type { AuditFinding, Report } from './verification.ts';
import type { JournalFacts, LaneBounds } from './journal-check.ts';
import { readRowSignature } from './row-tree.ts';

const NOT_SIGNED = 'it does not match its signature';

/** A row and the result of its signature check. */
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
export class RowCheck {
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

  /** Number of checked rows. */
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

  /** Ends the check; called after the last row. */
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
