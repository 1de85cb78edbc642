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
    const last = this.#last;
    const expected = last.number + 1;
    if (number < expected) {
      return astray(record);
    }
    if (number > expected) {
      this.#leaps.push({ next: record, expected, isSound });
    }
    this.#last = { number, hash, isSound };
    const follows = number > expected || !isSound || !last.isSound || prevHash.equals(last.hash);
    return follows ? undefined : astray(record);
  }

  /**
   * @param gaps gaps of the prunes that can be trusted
   * @returns the other records that are missing, and pruned ones that reappear
   */
  finish(gaps: readonly JournalGap[]): readonly AuditFinding[] {
    const leaps = this.#leaps.map(({ expected, next }) => ({ from: expected, to: next.number - 1 }));
    const present = without([{ from: 1, to: this.#last.number }], leaps);
    const back = without(present, without(present, gaps));
    return [
      ...this.#leaps.flatMap((leap) => missingAt(leap, gaps)),
      ...back.map((span) => {
        const first = { number: span.from, at: null };
        return journalFinding('inserted', first, `${named(span)} was pruned, and is there`);
      }),
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

function named({ from, to }: Span): string {
  return from === to ? `record ${from}` : `records ${from} to ${to}`;
}
