import { NOTHING_BEFORE } from './audit-row.ts';
import { type AuditFinding, journalFinding } from './finding.ts';
import type { JournalGap, JournalRecord } from './journal-record.ts';

interface Span {
  readonly from: number;
  readonly to: number;
}

/** A gap in the numbers of the journal, or a record that does not follow the one that it was signed to follow. */
interface Leap {
  /** The record after the gap. */
  readonly next: Pick<JournalRecord, 'number' | 'at' | 'prevHash'>;
  /** The number that the next record should have. */
  readonly expected: number;
  /** True if the content of the next record can be trusted. */
  readonly isSound: boolean;
}

/**
 * Checks the numbers of the journal: a missing record must be in the signed gaps of a prune. Uses memory only for gaps.
 */
export class JournalGaps {
  readonly #leaps: Leap[] = [];
  readonly #runs: { from: number; to: number }[] = [];
  #last = { number: 0, hash: NOTHING_BEFORE, isSound: true };

  /** The hash of the last record. */
  get newest(): Buffer {
    return this.#last.hash;
  }

  /**
   * @param record the next one by number
   * @param isSound true if its content can be trusted
   * @returns a finding about its place, as far as already known
   */
  check(record: JournalRecord, isSound: boolean): AuditFinding | undefined {
    const { number, hash, prevHash } = record;
    const expected = this.#last.number + 1;
    const isNext = number === expected;
    const isAstray = isNext && isSound && this.#last.isSound && !prevHash.equals(this.#last.hash);
    if (number > expected) {
      this.#leaps.push({ next: record, expected, isSound });
    }
    this.#last = { number, hash, isSound };
    const run = this.#runs.at(-1);
    if (isNext && run !== undefined) {
      run.to = number;
    } else {
      this.#runs.push({ from: number, to: number });
    }
    return isAstray ? astray(record) : undefined;
  }

  /**
   * @param gaps gaps of the prunes that can be trusted
   * @returns the other records that are missing, and pruned ones that reappear
   */
  finish(gaps: readonly JournalGap[]): readonly AuditFinding[] {
    const missing = this.#leaps.flatMap((leap) => missingAt(leap, gaps));
    const pruned = without([{ from: 1, to: this.#last.number }], without([{ from: 1, to: Infinity }], gaps));
    const back = this.#runs.flatMap((run) => overlaps(run, pruned));
    return [
      ...missing,
      ...back.map((span) =>
        journalFinding(
          'inserted',
          { number: span.from, at: null },
          `${named(span)} was pruned, and is there`,
        ),
      ),
    ];
  }
}

function missingAt({ next, expected, isSound }: Leap, gaps: readonly JournalGap[]): readonly AuditFinding[] {
  const lost = without([{ from: expected, to: next.number - 1 }], gaps);
  if (lost.length > 0) {
    return lost.map((span) =>
      journalFinding('removed', null, `${named(span)} of the journal before record ${next.number}`),
    );
  }
  const before = gaps.filter(({ to }) => to === next.number - 1);
  return isSound && before.every(({ hash }) => !hash.equals(next.prevHash)) ? [astray(next)] : [];
}

function astray(record: Pick<JournalRecord, 'number' | 'at'>): AuditFinding {
  return journalFinding('reordered', record, 'the record follows another one than it was signed to');
}

/** @returns true if one of the spans contains the number */
export function isIn(spans: readonly Span[], number: number): boolean {
  return spans.some(({ from, to }) => from <= number && number <= to);
}

/** @returns the rest of the spans */
function without(spans: readonly Span[], taken: readonly Span[]): readonly Span[] {
  return taken.reduce<readonly Span[]>(
    (left, { from, to }) =>
      left.flatMap((span) => [
        ...(span.from < from ? [{ from: span.from, to: Math.min(span.to, from - 1) }] : []),
        ...(span.to > to ? [{ from: Math.max(span.from, to + 1), to: span.to }] : []),
      ]),
    spans,
  );
}

function overlaps(run: Span, spans: readonly Span[]): readonly Span[] {
  return spans
    .filter(({ from, to }) => from <= run.to && to >= run.from)
    .map(({ from, to }) => ({ from: Math.max(from, run.from), to: Math.min(to, run.to) }));
}

function named({ from, to }: Span): string {
  return from === to ? `record ${from}` : `records ${from} to ${to}`;
}
