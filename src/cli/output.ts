import { styleText } from 'node:util';
import Table from 'cli-table3';
import type { CliIo } from './dependencies.ts';
import { safeLines, safeText } from '../kernel/terminal-text.ts';

/** A JSON value. */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** One fact of a row: scripts see its key, people its title. */
export interface Column<Row> {
  /** The key in JSON. Scripts rely on it: never rename one. */
  readonly key: string;
  /** Absent: the fact is for scripts only. */
  readonly title?: string;
  readonly value: (row: Row) => JsonValue;
  /** The text in a table; by default the value. */
  readonly text?: (row: Row) => string;
  readonly align?: 'left' | 'right';
}

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** Writes the results of commands: tables for people, JSON for scripts. */
export class Output {
  readonly #io: CliIo;
  readonly #json: boolean;

  constructor(io: CliIo, { json }: { json: boolean }) {
    this.#io = io;
    this.#json = json;
  }

  /** Prints rows: a table, or an array of objects. @param empty the text for people if there are none */
  list<Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty: string): void {
    if (this.#json) {
      this.#writeJson(rows.map((row) => toObject(row, columns)));
    } else if (rows.length === 0) {
      this.#write(empty);
    } else {
      this.#write(this.#table(rows, columns));
    }
  }

  /** Prints one row: a line a fact, or an object. */
  record<Row>(row: Row, columns: readonly Column<Row>[]): void {
    if (this.#json) {
      this.#writeJson(toObject(row, columns));
      return;
    }
    const shown = columns.filter(({ title }) => title !== undefined);
    const width = Math.max(...shown.map(({ title = '' }) => title.length)) + 2;
    this.#write(
      shown.map((column) => `${(column.title ?? '').padEnd(width)}${shownText(row, column)}`).join('\n'),
    );
  }

  /** Reports a completed change: a sentence, or the object. */
  done(sentence: string, facts: Readonly<Record<string, JsonValue>>): void {
    if (this.#json) {
      this.#writeJson(facts);
    } else {
      this.#write(safeLines(sentence));
    }
  }

  /** Prints lines for people; nothing for scripts. */
  say(text: string): void {
    if (!this.#json) {
      this.#write(text);
    }
  }

  #table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
    const shown = columns.filter(({ title }) => title !== undefined);
    const table = new Table({
      head: shown.map(({ title = '' }) => (this.#io.color ? styleText('bold', title) : title)),
      colAligns: shown.map(({ align }) => align ?? 'left'),
      chars: NO_LINES,
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    });
    table.push(...rows.map((row) => shown.map((column) => shownText(row, column))));
    return table
      .toString()
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n');
  }

  #writeJson(value: JsonValue): void {
    // Within JSON the escapes are equivalent, and they are harmless on a terminal.
    this.#write(safeLines(JSON.stringify(value, null, 2)));
  }

  #write(text: string): void {
    this.#io.stdout.write(`${text}\n`);
  }
}

function toObject<Row>(row: Row, columns: readonly Column<Row>[]): Record<string, JsonValue> {
  return Object.fromEntries(columns.map(({ key, value }) => [key, value(row)]));
}

function shownText<Row>(row: Row, { text, value }: Column<Row>): string {
  return safeText(text === undefined ? plainText(value(row)) : text(row));
}

function plainText(value: JsonValue): string {
  if (value === null) {
    return '';
  }
  if (typeof value === 'boolean') {
    return value ? 'yes' : 'no';
  }
  if (typeof value === 'string' || typeof value === 'number') {
    return String(value);
  }
  return Array.isArray(value) ? value.map(plainText).join(', ') : JSON.stringify(value);
}
