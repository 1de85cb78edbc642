import { styleText } from 'node:util';
import type { CliIo } from './dependencies.ts';
import { safeLines, safeText } from '../kernel/text.ts';
import stringWidth from 'string-width';

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
  /** The style of the text where it means something; by default plain. */
  readonly style?: (row: Row) => TextStyle | undefined;
}

/** A column as it is shown: a text a line. */
interface ShownColumn {
  readonly cells: readonly { readonly text: string; readonly style: TextStyle | undefined }[];
  readonly align?: 'left' | 'right' | undefined;
}

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
      this.json(rows.map((row) => toObject(row, columns)));
    } else if (rows.length === 0) {
      this.#write(empty);
    } else {
      this.#writeTable(
        titled(columns).map((column) => ({
          cells: [titleOf(column), ...rows.map((row) => cellOf(row, column))],
          align: column.align,
        })),
      );
    }
  }

  /** Prints one row: a line a fact, or an object. */
  record<Row>(row: Row, columns: readonly Column<Row>[]): void {
    if (this.#json) {
      this.json(toObject(row, columns));
      return;
    }
    const facts = titled(columns);
    this.#writeTable([{ cells: facts.map(titleOf) }, { cells: facts.map((column) => cellOf(row, column)) }]);
  }

  /** Reports a completed change: a sentence, or the object. */
  done(sentence: string, facts: Readonly<Record<string, JsonValue>>): void {
    if (this.#json) {
      this.json(facts);
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

  /** Pads each column to its widest text. A line that is wider than the terminal is left to it. */
  #writeTable(columns: readonly ShownColumn[]): void {
    const padded = columns.map(({ cells, align }) => {
      const width = Math.max(...cells.map(({ text }) => stringWidth(text)));
      return cells.map(({ text, style }) => {
        const blanks = ' '.repeat(width - stringWidth(text));
        // The text alone has a style, not the blanks around it.
        const styled = style === undefined || text === '' ? text : applyStyle(style, text, this.#io.color);
        return align === 'right' ? blanks + styled : styled + blanks;
      });
    });
    const lines = padded[0]?.map((_, place) =>
      padded
        .map((cells) => cells[place])
        .join('  ')
        .trimEnd(),
    );
    this.#write(lines?.join('\n') ?? '');
  }

  /** Prints a value for scripts. */
  json(value: JsonValue): void {
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

function titled<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  return columns.filter(({ title }) => title !== undefined);
}

function titleOf({ title = '' }: Pick<Column<never>, 'title'>): ShownColumn['cells'][number] {
  return { text: title, style: 'bold' };
}

function cellOf<Row>(row: Row, { text, value, style }: Column<Row>): ShownColumn['cells'][number] {
  return {
    text: safeText(text === undefined ? plainText(value(row)) : text(row)),
    style: style?.(row),
  };
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

/** A style of text on a terminal. */
type TextStyle = 'bold' | 'cyan' | 'dim' | 'red' | 'green' | 'yellow';

/**
 * @param color as `CliIo` says: it knows the terminal, NO_COLOR and FORCE_COLOR
 * @returns the text with its style, or as it is where there are no colours
 */
export function applyStyle(style: TextStyle, text: string, color: boolean): string {
  // Later versions of Node would look at the standard output of the process by themselves.
  return color ? styleText(style, text, { validateStream: false }) : text;
}

/**
 * Tells how far the work is. @param what a clause with a participle, in place of the first one
 */
export type ShowProgress = (done: number, total: number, what?: string) => void;

/**
 * Names work on a line of an interactive terminal while it lasts: `reading users …`, and how far it is where it tells.
 * @param what a clause with a participle
 */
export async function withProgress<T>(
  io: CliIo,
  what: string,
  work: (progress: ShowProgress) => Promise<T>,
): Promise<T> {
  const show = (text: string): void => {
    if (io.isInteractive) {
      // A line that fills the last column wraps, and could not be erased.
      io.stderr.write(`\r\u001b[K${text.slice(0, io.columns - 1)}`);
    }
  };
  show(`${what} …`);
  try {
    return await work((done, total, doing = what) => {
      if (total > 0) {
        show(`${doing} … ${done} of ${total} (${Math.floor((100 * Math.min(done, total)) / total)} %)`);
      }
    });
  } finally {
    show('');
  }
}
