import { createReadStream } from 'node:fs';
import type { SourceRow, SourceValue } from '../linotp-source.ts';
import {
  CREATE_TABLE,
  type DumpColumn,
  type DumpSyntax,
  readColumns,
  readCopiedRow,
  readName,
  readTable,
  readTuple,
  skipBlanks,
  skipSpaces,
  skipStatement,
  unexpected,
  UnreadableDump,
} from './dump-text.ts';
import { DumpOrigin } from './dump-origin.ts';

export interface DumpContent {
  readonly origin: DumpOrigin;
  /** The names of all tables, by the same in lower case. */
  readonly names: ReadonlyMap<string, string>;
  /** Columns by the name of the table in lower case. */
  readonly columns: ReadonlyMap<string, readonly DumpColumn[]>;
  /** Where the rows of a table are, in order; rows of others may be between, for less than a chunk. */
  readonly ranges: ReadonlyMap<string, readonly DumpRange[]>;
  /** Rows by the name of the table, in lower case. */
  readonly counts: ReadonlyMap<string, number>;
}

interface DumpRange {
  readonly start: number;
  readonly end: number;
}

const CHUNK_BYTES = 1 << 20;
/** A longer row or statement is refused: a dump has none. */
const MAX_PIECE_LENGTH = 64 << 20;
/** The longest beginning of an INSERT, up to its values. */
const MAX_HEAD_LENGTH = 1 << 16;
const BYTE_ORDER_MARK = '\xef\xbb\xbf';
const COPY = /^COPY\s/i;
const INSERT = /^(?:INSERT|REPLACE)\s+(?:IGNORE\s+|OR\s+\w+\s+)?INTO\s/i;
const VALUES = /\s*(\((?:[^()]*)\))?\s*(?:OVERRIDING\s+\w+\s+VALUE\s+)?VALUES\s*(?=\()/iy;

/** Reads a plain SQL dump of PostgreSQL, MySQL, MariaDB or SQLite piece by piece. */
export class DumpReader {
  readonly #path: string;
  readonly #tables: ReadonlySet<string>;
  readonly #syntax: DumpSyntax;
  /** Absent while rows are read again: all is known then. */
  readonly #origin: DumpOrigin | undefined;
  readonly #columns = new Map<string, readonly DumpColumn[]>();
  readonly #names = new Map<string, string>();
  #text = '';
  /** The position in the file at which `#text` begins. */
  #base = 0;
  #at = 0;
  #isEnded = false;
  /** The last line of the file has a line end of its own, before the one that is added. */
  #hasLastLineEnd = false;
  /** The line of the position `#counted`. */
  #line = 1;
  #counted = 0;

  private constructor(path: string, tables: ReadonlySet<string>, syntax: DumpSyntax, origin?: DumpOrigin) {
    this.#path = path;
    this.#tables = tables;
    this.#syntax = syntax;
    this.#origin = origin;
  }

  /**
   * Reads the whole dump once, up to its end.
   * @param tables names in lower case of the tables whose rows are wanted
   * @throws UnreadableDump
   */
  static async survey(path: string, tables: ReadonlySet<string>): Promise<DumpContent> {
    const origin = new DumpOrigin();
    const reader = new DumpReader(path, tables, origin, origin);
    const ranges = new Map<string, DumpRange[]>();
    const counts = new Map<string, number>();
    for await (const piece of reader.#pieces()) {
      if (piece.kind === 'range') {
        addRange(ranges, piece);
      } else {
        counts.set(piece.table, (counts.get(piece.table) ?? 0) + 1);
      }
    }
    return { origin, names: reader.#names, columns: reader.#columns, ranges, counts };
  }

  /** Reads the rows of one table again. @throws UnreadableDump if the file is another one now */
  static async *rows(path: string, content: DumpContent, table: string): AsyncIterable<SourceRow> {
    for (const range of content.ranges.get(table) ?? []) {
      const reader = new DumpReader(path, new Set([table]), content.origin);
      reader.#columns.set(table, content.columns.get(table) ?? []);
      for await (const piece of reader.#pieces(range)) {
        if (piece.kind === 'row') {
          yield toRow(piece.columns, piece.values);
        }
      }
    }
  }

  async *#pieces(range?: DumpRange): AsyncGenerator<DumpPiece> {
    this.#base = range?.start ?? 0;
    const bounds = range === undefined ? {} : { start: range.start, end: range.end - 1 };
    const stream = createReadStream(this.#path, { ...bounds, highWaterMark: CHUNK_BYTES });
    const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    let state: ReaderState = { kind: 'between' };
    try {
      for (;;) {
        const step = this.#locateFaults(() => this.#step(state));
        if (step !== undefined) {
          state = step.next;
          yield* step.pieces;
        } else if (this.#isEnded) {
          this.#assertEnd(state);
          return;
        } else {
          await this.#refill(chunks);
        }
      }
    } finally {
      stream.destroy();
    }
  }

  async #refill(chunks: AsyncIterator<Buffer>): Promise<void> {
    const next = await chunks.next();
    this.#countLines(this.#at);
    this.#counted = 0;
    this.#base += this.#at;
    const rest = this.#text.slice(this.#at);
    this.#at = 0;
    this.#isEnded = next.done === true;
    this.#hasLastLineEnd = this.#text.endsWith('\n');
    if (rest.length > MAX_PIECE_LENGTH) {
      throw new UnreadableDump(`what begins at line ${this.#line} has no end`);
    }
    // The last statement may lack its line end.
    this.#text = rest + (next.done === true ? '\n' : next.value.toString('latin1'));
    if (this.#base === 0 && this.#text.startsWith(BYTE_ORDER_MARK)) {
      this.#at = BYTE_ORDER_MARK.length;
    }
  }

  /**
   * @param position not before an earlier one
   * @returns its line
   */
  #countLines(position: number): number {
    let at = this.#text.indexOf('\n', this.#counted);
    while (at >= 0 && at < position) {
      this.#line += 1;
      at = this.#text.indexOf('\n', at + 1);
    }
    this.#counted = position;
    return this.#line;
  }

  /** Adds the line to the error. */
  #locateFaults<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof UnreadableDump && this.#origin !== undefined) {
        throw new UnreadableDump(`line ${this.#countLines(this.#at)}: ${error.message}`);
      }
      throw error;
    }
  }

  #assertEnd(state: ReaderState): void {
    const isBlank = this.#text.slice(this.#at).trim() === '';
    const line = this.#countLines(this.#text.length - 1) - (this.#hasLastLineEnd ? 1 : 0);
    if (!isBlank || state.kind !== 'between') {
      throw new UnreadableDump(`the dump ends within a statement, at line ${line}`);
    }
    const missing = this.#origin?.missingEnd;
    if (missing !== undefined) {
      throw new UnreadableDump(
        `the dump is incomplete: it ends at line ${line} without the line '${missing}'`,
      );
    }
  }

  #step(state: ReaderState): ReadStep | undefined {
    switch (state.kind) {
      case 'between':
        return this.#readStatement();
      case 'rows':
        return this.#readInserted(state);
      case 'copy':
        return this.#readCopied(state);
    }
  }

  #readStatement(): ReadStep | undefined {
    const blanks = skipBlanks(this.#text, this.#at);
    if (blanks === undefined) {
      return undefined;
    }
    const start = blanks.end;
    this.#at = start;
    for (const comment of blanks.value) {
      this.#origin?.noteComment(comment);
    }
    const head = this.#text.slice(start, start + 64);
    if (head === '' || (head.length < 64 && !this.#isEnded)) {
      return undefined;
    }
    return INSERT.test(head) ? this.#beginRows(start) : this.#readOther(start, head);
  }

  #readOther(start: number, head: string): ReadStep | undefined {
    const end = skipStatement(this.#text, start, this.#syntax.escapes);
    if (end === undefined) {
      return undefined;
    }
    const statement = this.#text.slice(start, end);
    if (COPY.test(head) && /\sFROM\s+stdin/i.test(statement)) {
      return this.#beginCopy(statement, start);
    }
    if (CREATE_TABLE.test(head)) {
      this.#noteTable(statement);
    } else {
      this.#origin?.noteStatement(statement);
    }
    this.#at = end;
    return BETWEEN;
  }

  #noteTable(statement: string): void {
    this.#origin?.noteNames(statement);
    const read = readTable(statement);
    if (read === undefined) {
      return;
    }
    const table = this.#noteName(read.table);
    if (this.#columns.has(table) && this.#tables.has(table)) {
      throw new UnreadableDump(
        `there is a second table ${table}: write a dump that has the database of LinOTP only`,
      );
    }
    this.#columns.set(table, read.columns);
  }

  /** @returns the name of a table in lower case */
  #noteName(name: string): string {
    const table = name.toLowerCase();
    if (!this.#names.has(table)) {
      this.#names.set(table, name);
    }
    return table;
  }

  #beginRows(start: number): ReadStep | undefined {
    const into = INSERT.exec(this.#text.slice(start, start + 64))?.[0].length ?? 0;
    const name = readName(this.#text, start + into);
    VALUES.lastIndex = name?.end ?? this.#text.length;
    const match = VALUES.exec(this.#text);
    if (name === undefined || match === null) {
      if (this.#text.length - start > MAX_HEAD_LENGTH) {
        throw new UnreadableDump('an INSERT without VALUES is not read');
      }
      return undefined;
    }
    this.#origin?.noteNames(this.#text.slice(start, VALUES.lastIndex));
    const table = this.#noteName(name.value);
    const columns = this.#columnsOf(table, match[1]?.slice(1, -1));
    this.#at = VALUES.lastIndex;
    return { next: { kind: 'rows', table, columns, start: this.#base + start }, pieces: [] };
  }

  /** @param list the columns that the statement names */
  #columnsOf(table: string, list: string | undefined): readonly DumpColumn[] {
    const known = this.#columns.get(table);
    const columns = list === undefined ? known : readColumns(list, known ?? []);
    if (columns === undefined && this.#tables.has(table)) {
      throw new UnreadableDump(
        `the columns of the table ${table} are not known: write a dump with its schema`,
      );
    }
    if (columns !== undefined && known === undefined) {
      this.#columns.set(table, columns);
    }
    return columns ?? [];
  }

  #readInserted(state: Extract<ReaderState, { kind: 'rows' }>): ReadStep | undefined {
    const read = readTuple(this.#text, this.#at, this.#syntax, state.columns);
    const after = read && skipSpaces(this.#text, read.end);
    const separator = after === undefined ? '' : this.#text.charAt(after);
    if (read === undefined || after === undefined || separator === '') {
      return undefined;
    }
    const next = separator === ',' ? skipSpaces(this.#text, after + 1) : this.#endOfRows(after);
    if (next === undefined || next >= this.#text.length) {
      return undefined;
    }
    const row = this.#row(state, read.value);
    this.#at = next;
    return separator === ','
      ? { next: state, pieces: row }
      : { next: BETWEEN.next, pieces: [...row, this.#range(state)] };
  }

  /** A semicolon, or what ON CONFLICT says and a semicolon. */
  #endOfRows(at: number): number | undefined {
    const isEnd = /^(?:;|ON\s)/i.test(this.#text.slice(at, at + 3));
    return isEnd ? skipStatement(this.#text, at, this.#syntax.escapes) : unexpected(this.#text, at);
  }

  #row({ table, columns }: RowsState, values: readonly SourceValue[]): readonly DumpPiece[] {
    if (!this.#tables.has(table)) {
      return [];
    }
    if (columns.length !== values.length) {
      throw new UnreadableDump(
        `a row of the table ${table} has ${values.length} values for ${columns.length} columns`,
      );
    }
    return [{ kind: 'row', table, columns, values }];
  }

  #range({ table, start }: RowsState): DumpPiece {
    return { kind: 'range', table, start, end: this.#base + this.#at };
  }

  #beginCopy(statement: string, start: number): ReadStep | undefined {
    const end = this.#text.indexOf('\n', start + statement.length);
    if (end < 0) {
      return undefined;
    }
    const table = this.#noteName(readName(statement, statement.search(/\s/))?.value ?? '');
    const columns = this.#columnsOf(table, /\(([^)]*)\)/.exec(statement)?.[1]);
    this.#at = end + 1;
    return { next: { kind: 'copy', table, columns, start: this.#base + start }, pieces: [] };
  }

  #readCopied(state: Extract<ReaderState, { kind: 'copy' }>): ReadStep | undefined {
    const end = this.#text.indexOf('\n', this.#at);
    if (end < 0) {
      return undefined;
    }
    const line = this.#text.slice(this.#at, end).replace(/\r$/, '');
    if (line === '\\.') {
      this.#at = end + 1;
      return { next: BETWEEN.next, pieces: [this.#range(state)] };
    }
    const isEnd = this.#isEnded && end === this.#text.length - 1;
    const row = isEnd ? [] : this.#row(state, readCopiedRow(line, this.#syntax, state.columns));
    this.#at = end + 1;
    return { next: state, pieces: row };
  }
}

interface RowsState {
  readonly table: string;
  readonly columns: readonly DumpColumn[];
  readonly start: number;
}

type ReaderState =
  | { readonly kind: 'between' }
  | ({ readonly kind: 'rows' } & RowsState)
  | ({ readonly kind: 'copy' } & RowsState);

type DumpPiece =
  | ({ readonly kind: 'range'; readonly table: string } & DumpRange)
  | {
      readonly kind: 'row';
      readonly table: string;
      readonly columns: readonly DumpColumn[];
      readonly values: readonly SourceValue[];
    };

interface ReadStep {
  readonly next: ReaderState;
  readonly pieces: readonly DumpPiece[];
}

const BETWEEN: ReadStep = { next: { kind: 'between' }, pieces: [] };

/** Rows that stand close together are read at once: there are no more ranges than chunks. */
function addRange(
  ranges: Map<string, DumpRange[]>,
  { table, start, end }: { readonly table: string } & DumpRange,
): void {
  const known = ranges.get(table) ?? [];
  const last = known.at(-1);
  if (last !== undefined && start - last.end < CHUNK_BYTES) {
    known[known.length - 1] = { start: last.start, end };
  } else {
    known.push({ start, end });
  }
  ranges.set(table, known);
}

function toRow(columns: readonly DumpColumn[], values: readonly SourceValue[]): SourceRow {
  return Object.fromEntries(columns.map(({ name }, index) => [name, values[index] ?? null]));
}
