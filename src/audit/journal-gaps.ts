import { NOTHING_BEFORE } from './audit-row.ts';
import { type AuditFinding, journalFinding } from './finding.ts';
import type { JournalGap, JournalRecord } from './journal-record.ts';

interface Span {
  readonly from: number;
  readonly to: number;
}

/** A place where the numbers of the journal leap, or where a record follows another one than it was signed to. */
interface Leap {
  /** The record behind it. */
  readonly next: Pick<JournalRecord, 'number' | 'at' | 'prevHash'>;
  /** The number that would have been next. */
  readonly expected: number;
  /** Whether what the next record says can be believed. */
  readonly isSound: boolean;
}

/** Follows the numbers of the journal: what is missing must be what prunes have signed that they took. In memory for leaps. */
export class JournalGaps {
  readonly #leaps: Leap[] = [];
  readonly #runs: { from: number; to: number }[] = [];
  #last = { number: 0, hash: NOTHING_BEFORE, isSound: true };

  /** The hash of the record that was taken last. */
  get newest(): Buffer {
    return this.#last.hash;
  }

  /**
   * @param record the next one by number
   * @param isSound whether what it says can be believed
   * @returns what is wrong with its place, as far as that can be told by now
   */
  take(record: JournalRecord, isSound: boolean): AuditFinding | undefined {
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

  /** @param gaps what prunes that can be trusted have taken. @returns what else is missing, or is there again */
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

/** @returns whether one of the spans has the number */
export function isIn(spans: readonly Span[], number: number): boolean {
  return spans.some(({ from, to }) => from <= number && number <= to);
}

/** @returns what is left of the spans */
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
