import type { DumpColumn } from './dump-text.ts';

/** A range of bytes that has rows of one table. */
export interface DumpRange {
  readonly table: string;
  readonly columns: readonly DumpColumn[];
  readonly start: number;
  readonly end: number;
}

/** Collects ranges; successive ones of a table become one, as a dump may have a statement for each row. */
export class DumpRanges {
  readonly all: DumpRange[] = [];
  #last: DumpRange | undefined;

  add(range: DumpRange, tables: ReadonlySet<string>): void {
    const last = this.#last;
    const isSuccessor = last?.table === range.table && haveSameNames(last.columns, range.columns);
    if (!tables.has(range.table)) {
      this.#last = undefined;
    } else if (isSuccessor) {
      this.#last = { ...last, end: range.end };
      this.all[this.all.length - 1] = this.#last;
    } else {
      this.#last = range;
      this.all.push(range);
    }
  }
}

function haveSameNames(some: readonly DumpColumn[], others: readonly DumpColumn[]): boolean {
  return (
    some === others ||
    (some.length === others.length && some.every(({ name }, index) => name === others[index]?.name))
  );
}
