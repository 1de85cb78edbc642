import { createReadStream } from 'node:fs';
import type { SourceRow, SourceValue } from '../source-row.ts';
import { decode, readName, readTuple, skipBlanks, skipStatement, UnreadableDump } from './dump-text.ts';

/** A range of bytes that has rows of one table. */
export interface DumpRange {
  readonly table: string;
  readonly columns: readonly string[] | undefined;
  readonly start: number;
  readonly end: number;
}

/** What a dump is made of. */
export interface DumpContent {
  readonly dialect: 'postgresql' | 'mysql' | 'sqlite';
  /** Columns by the name of the table, both in lower case. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  readonly ranges: readonly DumpRange[];
  /** Rows by the name of the table, in lower case. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Rows of the dump, as they come. */
interface DumpRows {
  readonly table: string;
  readonly columns: readonly string[] | undefined;
  readonly values: readonly SourceValue[];
}

const CHUNK_BYTES = 1 << 20;
/** A longer row or statement is refused: a dump has none. */
const LARGEST_PIECE = 64 << 20;
const COPY = /^COPY\s/i;
const INSERT = /^(?:INSERT|REPLACE)\s+(?:IGNORE\s+|OR\s+\w+\s+)?INTO\s/i;
const CREATE = /^CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?/i;

/** Reads a plain SQL dump of PostgreSQL, MySQL, MariaDB or SQLite piece by piece. */
export class DumpReader {
  readonly #path: string;
  #text = '';
  /** The position in the file at which `#text` begins. */
  #base = 0;
  #at = 0;
  #isEnded = false;
  #escapes = false;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Reads the whole dump once. @throws UnreadableDump */
  static async survey(path: string): Promise<DumpContent> {
    const reader = new DumpReader(path);
    const columns = new Map<string, readonly string[]>();
    const ranges: DumpRange[] = [];
    const counts = new Map<string, number>();
    let dialect: DumpContent['dialect'] = 'postgresql';
    for await (const piece of reader.#pieces()) {
      if (piece.kind === 'table') {
        columns.set(piece.table, piece.columns);
      } else if (piece.kind === 'range') {
        ranges.push(piece.range);
      } else if (piece.kind === 'dialect') {
        dialect = piece.dialect;
      } else {
        counts.set(piece.row.table, (counts.get(piece.row.table) ?? 0) + 1);
      }
    }
    return { dialect, columns, ranges, counts };
  }

  /** Reads the rows of one table again. */
  static async *rows(path: string, content: DumpContent, table: string): AsyncIterable<SourceRow> {
    const named = content.columns.get(table);
    for (const range of content.ranges.filter((one) => one.table === table)) {
      const reader = new DumpReader(path);
      reader.#escapes = content.dialect === 'mysql';
      for await (const piece of reader.#pieces(range)) {
        if (piece.kind === 'row') {
          yield toRow(piece.row.columns ?? named, piece.row.values);
        }
      }
    }
  }

  async *#pieces(range?: DumpRange): AsyncGenerator<Piece> {
    this.#base = range?.start ?? 0;
    const bounds = range === undefined ? {} : { start: range.start, end: range.end - 1 };
    const stream = createReadStream(this.#path, { ...bounds, highWaterMark: CHUNK_BYTES });
    const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    let state: State = { kind: 'between' };
    try {
      for (;;) {
        const step = this.#step(state);
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
    this.#base += this.#at;
    const rest = this.#text.slice(this.#at);
    this.#at = 0;
    this.#isEnded = next.done === true;
    if (rest.length > LARGEST_PIECE) {
      throw new UnreadableDump(`what begins at byte ${this.#base} has no end`);
    }
    // The last statement may lack its line end.
    this.#text = rest + (next.done === true ? '\n' : next.value.toString('latin1'));
  }

  #assertEnd(state: State): void {
    const isBlank = this.#text.slice(this.#at).trim() === '';
    if (!isBlank || state.kind !== 'between') {
      throw new UnreadableDump(`the dump ends within a statement, at byte ${this.#base + this.#text.length}`);
    }
  }

  #step(state: State): Step | undefined {
    switch (state.kind) {
      case 'between':
        return this.#readStatement();
      case 'rows':
        return this.#readInserted(state);
      case 'copy':
        return this.#readCopied(state);
    }
  }

  #readStatement(): Step | undefined {
    const start = skipBlanks(this.#text, this.#at);
    if (start === undefined) {
      return undefined;
    }
    this.#at = start;
    if (start >= this.#text.length) {
      return undefined;
    }
    const head = this.#text.slice(start, start + 64);
    if (head.length < 64 && !this.#isEnded) {
      return undefined;
    }
    if (INSERT.test(head)) {
      return this.#beginRows(start);
    }
    const end = skipStatement(this.#text, start, this.#escapes);
    if (end === undefined) {
      return undefined;
    }
    this.#at = end;
    const statement = this.#text.slice(start, end);
    if (COPY.test(head) && /\sFROM\s+stdin/i.test(statement)) {
      return this.#beginCopy(statement);
    }
    return CREATE.test(head) ? this.#noteTable(statement) : { next: { kind: 'between' }, pieces: [] };
  }

  #noteTable(statement: string): Step {
    const columns = columnsOf(statement);
    const isMysql = statement.includes('`');
    this.#escapes ||= isMysql;
    const pieces: Piece[] = columns === undefined ? [] : [columns];
    return {
      next: { kind: 'between' },
      pieces: isMysql ? [...pieces, { kind: 'dialect', dialect: 'mysql' }] : pieces,
    };
  }

  #beginRows(start: number): Step | undefined {
    const into =
      /^\w+\s+(?:IGNORE\s+|OR\s+\w+\s+)?INTO\s/i.exec(this.#text.slice(start, start + 64))?.[0].length ?? 0;
    const name = readName(this.#text, start + into);
    const values = /\s*(\((?:[^()]*)\))?\s*VALUES\s*(?=\()/iy;
    values.lastIndex = name?.end ?? this.#text.length;
    const match = values.exec(this.#text);
    if (name === undefined || match === null) {
      return undefined;
    }
    this.#escapes ||= this.#text.slice(start, values.lastIndex).includes('`');
    this.#at = values.lastIndex;
    const columns = match[1] === undefined ? undefined : namesIn(match[1].slice(1, -1));
    const table = name.value.toLowerCase();
    return { next: { kind: 'rows', table, columns, start: this.#base + start }, pieces: [] };
  }

  #readInserted(state: Extract<State, { kind: 'rows' }>): Step | undefined {
    const read = readTuple(this.#text, this.#at, this.#escapes);
    const after = read && skipBlanksOnly(this.#text, read.end);
    const separator = after === undefined ? '' : this.#text.charAt(after);
    if (read === undefined || after === undefined || separator === '') {
      return undefined;
    }
    const next = separator === ',' ? skipBlanksOnly(this.#text, after + 1) : after + 1;
    if (next >= this.#text.length) {
      return undefined;
    }
    const { table, columns } = state;
    const row: Piece = { kind: 'row', row: { table, columns, values: read.value } };
    this.#at = next;
    if (separator === ',') {
      return { next: state, pieces: [row] };
    }
    const range = { table, columns, start: state.start, end: this.#base + next };
    return { next: { kind: 'between' }, pieces: [row, { kind: 'range', range }] };
  }

  #beginCopy(statement: string): Step {
    const name = readName(statement, statement.search(/\s/));
    const columns = /\(([^)]*)\)/.exec(statement)?.[1];
    const start = this.#base + this.#at - statement.length;
    const table = (name?.value ?? '').toLowerCase();
    return {
      next: { kind: 'copy', table, columns: columns === undefined ? undefined : namesIn(columns), start },
      pieces: [],
    };
  }

  #readCopied(state: Extract<State, { kind: 'copy' }>): Step | undefined {
    const end = this.#text.indexOf('\n', this.#at);
    if (end < 0) {
      return undefined;
    }
    const line = this.#text.slice(this.#at, end).replace(/\r$/, '');
    this.#at = end + 1;
    const { table, columns, start } = state;
    if (line === '\\.') {
      const range = { table, columns, start, end: this.#base + this.#at };
      return { next: { kind: 'between' }, pieces: [{ kind: 'range', range }] };
    }
    // The line of the statement itself ends after its semicolon.
    const isRow = line !== '' || columns?.length === 1;
    const values = isRow ? line.split('\t').map(copiedValue) : [];
    return { next: state, pieces: isRow ? [{ kind: 'row', row: { table, columns, values } }] : [] };
  }
}

type State =
  | { readonly kind: 'between' }
  | ({ readonly kind: 'rows' } & RowsState)
  | ({ readonly kind: 'copy' } & RowsState);

interface RowsState {
  readonly table: string;
  readonly columns: readonly string[] | undefined;
  readonly start: number;
}

type Piece =
  | { readonly kind: 'table'; readonly table: string; readonly columns: readonly string[] }
  | { readonly kind: 'range'; readonly range: DumpRange }
  | { readonly kind: 'dialect'; readonly dialect: 'mysql' | 'sqlite' }
  | { readonly kind: 'row'; readonly row: DumpRows };

interface Step {
  readonly next: State;
  readonly pieces: readonly Piece[];
}

function skipBlanksOnly(text: string, start: number): number {
  let at = start;
  while (/\s/.test(text.charAt(at))) {
    at += 1;
  }
  return at;
}

/** Reads the columns of a table: the first word of each line that is no constraint. */
function columnsOf(statement: string): Extract<Piece, { kind: 'table' }> | undefined {
  const head = CREATE.exec(statement)?.[0].length ?? 0;
  const name = readName(statement, head);
  const open = statement.indexOf('(', name?.end ?? statement.length);
  if (name === undefined || open < 0) {
    return undefined;
  }
  const columns = topLevelParts(statement.slice(open + 1, statement.lastIndexOf(')')))
    .filter((part) => !/^(?:PRIMARY|UNIQUE|KEY|INDEX|CONSTRAINT|CHECK|FOREIGN|FULLTEXT)\b/i.test(part))
    .flatMap((part) => readName(`${part} `, 0)?.value.toLowerCase() ?? []);
  return { kind: 'table', table: name.value.toLowerCase(), columns };
}

/** Splits at commas outside of parentheses. */
function topLevelParts(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text.charAt(at);
    depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    if (at === text.length || (character === ',' && depth === 0)) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return parts.filter((part) => part !== '');
}

function namesIn(list: string): readonly string[] {
  return list.split(',').flatMap((part) => readName(`${part.trim()} `, 0)?.value.toLowerCase() ?? []);
}

const COPY_ESCAPES: Readonly<Partial<Record<string, string>>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** PostgreSQL's text format of COPY. */
function copiedValue(text: string): SourceValue {
  if (text === '\\N') {
    return null;
  }
  const plain = text.replace(/\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|[^])/g, (_, escaped: string) => {
    if (/^x./.test(escaped)) {
      return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    }
    return /^[0-7]/.test(escaped)
      ? String.fromCharCode(Number.parseInt(escaped, 8))
      : (COPY_ESCAPES[escaped] ?? escaped);
  });
  return decode(Buffer.from(plain, 'latin1'));
}

function toRow(columns: readonly string[] | undefined, values: readonly SourceValue[]): SourceRow {
  if (columns?.length !== values.length) {
    throw new UnreadableDump(`a row has ${values.length} values for ${columns?.length ?? 0} columns`);
  }
  return Object.fromEntries(columns.map((column, index) => [column, values[index] ?? null]));
}
