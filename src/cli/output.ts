import stringWidth from 'string-width';
import type { CliIo } from './dependencies.ts';
import { safeLines, safeText } from '../kernel/text.ts';
import { type ColumnFit, fitColumns, fitText, GAP, wrapText } from './table-layout.ts';
import { applyStyle, type TextStyle } from './text-style.ts';

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
  /**
   * On a narrow terminal, the columns of the highest rank are left out first, and rank 0 never; by default the place of
   * the column.
   */
  readonly rank?: number;
  /** The text is left out rather than shortened: a part of a serial is of no use. */
  readonly whole?: true;
}

/** The width to which a column may be shortened. */
const MIN_WIDTH = 10;

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
    const width = Math.max(...shown.map(({ title = '' }) => title.length)) + GAP;
    this.#write(shown.map((column) => this.#fact(row, column, width)).join('\n'));
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

  /** @returns a line with title and value, the value wrapped to the terminal */
  #fact<Row>(row: Row, column: Column<Row>, width: number): string {
    const { title = '', style } = column;
    const { color } = this.#io;
    const lines = wrapText(shownText(row, column), Math.max(MIN_WIDTH, this.#room - width));
    const textStyle = style?.(row);
    const value = lines
      .map((line) => (textStyle === undefined || line === '' ? line : applyStyle(textStyle, line, color)))
      .join(`\n${' '.repeat(width)}`);
    return `${applyStyle('bold', title, color)}${' '.repeat(width - title.length)}${value}`;
  }

  #table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
    const titled = columns.filter(({ title }) => title !== undefined);
    const texts = rows.map((row) => titled.map((column) => shownText(row, column)));
    const widths = fitColumns(
      titled.map((column, place) => fitOf(column, place, texts)),
      this.#room,
    );
    const line = (cells: readonly string[], textStyle: (place: number) => TextStyle | undefined): string =>
      titled
        .flatMap(({ align = 'left' }, place) => {
          const [width, text = ''] = [widths[place], cells[place]];
          return width === undefined ? [] : [this.#cell(fitText(text, width, align), textStyle(place))];
        })
        .join(' '.repeat(GAP))
        .trimEnd();
    this.#nameLeftOut(titled.filter((_column, place) => widths[place] === undefined));
    return [
      line(
        titled.map(({ title = '' }) => title),
        () => 'bold',
      ),
      ...rows.map((row, place) => line(texts[place] ?? [], (column) => titled[column]?.style?.(row))),
    ].join('\n');
  }

  /** Standard output holds the table alone. */
  #nameLeftOut<Row>(columns: readonly Column<Row>[]): void {
    if (columns.length > 0) {
      const names = columns.map(({ title = '' }) => title).join(', ');
      const lines = wrapText(`left out, as the terminal is narrow: ${names}`, this.#room);
      this.#io.stderr.write(`${applyStyle('dim', lines.join('\n'), this.#io.color)}\n`);
    }
  }

  /** Styles the text without the blanks around it. */
  #cell(padded: string, textStyle: TextStyle | undefined): string {
    const text = padded.trim();
    return textStyle === undefined || text === ''
      ? padded
      : padded.replace(text, () => applyStyle(textStyle, text, this.#io.color));
  }

  /** Characters of a line; what is not for a terminal is not cut. */
  get #room(): number {
    return this.#io.isTTY ? this.#io.columns : Number.POSITIVE_INFINITY;
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

function fitOf<Row>(
  { title = '', rank, whole }: Column<Row>,
  place: number,
  texts: readonly (readonly string[])[],
): ColumnFit {
  const titleWidth = stringWidth(title);
  const natural = texts.reduce((widest, row) => Math.max(widest, stringWidth(row[place] ?? '')), titleWidth);
  const min = whole === true ? natural : Math.min(natural, Math.max(titleWidth, MIN_WIDTH));
  return { natural, min, rank: rank ?? place };
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
