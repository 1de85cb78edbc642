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
  /**
   * Where its words do not fit on a narrow terminal, the columns of the highest rank are left out first, and rank 0
   * never; by default the place of the column.
   */
  readonly rank?: number;
}

/** The least room for a value beside its title. */
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
    // A word that is longer than the room stays whole: the terminal wraps it, and it can be copied.
    const lines = wrapText(words(shownText(row, column)), Math.max(MIN_WIDTH, this.#room - width));
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
      this.#row(
        titled.flatMap(({ align = 'left' }, place) => {
          const [width, text = ''] = [widths[place], cells[place]];
          return width === undefined ? [] : [{ width, align, text, style: textStyle(place) }];
        }),
      );
    this.#nameLeftOut(titled.filter((_column, place) => widths[place] === undefined));
    return [
      line(
        titled.map(({ title = '' }) => title),
        () => 'bold',
      ),
      ...rows.map((row, place) => line(texts[place] ?? [], (column) => titled[column]?.style?.(row))),
    ].join('\n');
  }

  /** @returns as many lines as the cell with the most needs */
  #row(cells: readonly Cell[]): string {
    const wrapped = cells.map(({ text, width }) => wrapText(pieces(text, width), width));
    const height = Math.max(...wrapped.map(({ length }) => length));
    return Array.from({ length: height }, (_, number) =>
      cells
        .map((cell, place) => this.#padded(cell, wrapped[place]?.[number] ?? ''))
        .join(' '.repeat(GAP))
        .trimEnd(),
    ).join('\n');
  }

  /** Standard output holds the table alone. */
  #nameLeftOut<Row>(columns: readonly Column<Row>[]): void {
    if (columns.length > 0) {
      const names = columns.map(({ title = '' }) => title).join(', ');
      const lines = wrapText(words(`left out, as the terminal is narrow: ${names}`), this.#room);
      this.#io.stderr.write(`${applyStyle('dim', lines.join('\n'), this.#io.color)}\n`);
    }
  }

  /** Styles the text without the blanks around it. */
  #padded({ width, align, style }: Cell, text: string): string {
    const padding = ' '.repeat(Math.max(0, width - stringWidth(text)));
    const styled = style === undefined || text === '' ? text : applyStyle(style, text, this.#io.color);
    return align === 'right' ? padding + styled : styled + padding;
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
  { title = '', rank }: Column<Row>,
  place: number,
  texts: readonly (readonly string[])[],
): ColumnFit {
  const shown = texts.map((row) => row[place] ?? '');
  const all = [title, ...shown];
  return {
    natural: widest(all),
    min: widest(all.flatMap((text) => pieces(text).map((piece) => piece.trimEnd()))),
    rank: (rank ?? place) > 0 && shown.every((text) => text === '') ? Infinity : (rank ?? place),
  };
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, stringWidth(text)), 0);
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

/** The way in which a column of a table gives way where the terminal is narrow. */
interface ColumnFit {
  /** The width of its widest text, title included. */
  readonly natural: number;
  /** That of its widest piece: narrower it would break a time or an id. */
  readonly min: number;
  /** Columns of a higher rank are left out first, those without any text before them; 0: never. */
  readonly rank: number;
}

/** One text in a line of a table. */
interface Cell {
  readonly width: number;
  readonly align: 'left' | 'right';
  readonly text: string;
  readonly style: TextStyle | undefined;
}

/** Columns between two columns of a table. */
const GAP = 2;

/** Longer words may break within: no time and no id is longer, an IPv6 address has at most 39 characters. */
const WHOLE = 40;

/**
 * Fits columns into a line: narrows the widest ones, and leaves out columns by their rank where that is not enough.
 * @param room characters of a line; Infinity: nothing is cut
 * @returns the width of each column; undefined for one that is left out
 */
function fitColumns(columns: readonly ColumnFit[], room: number): readonly (number | undefined)[] {
  const left = new Set(columns);
  while (lineWidth([...left].map(({ min }) => min)) > room) {
    const next = nextToLeave([...left]);
    if (next === undefined) {
      break;
    }
    left.delete(next);
  }
  const kept = [...left];
  const widths = narrowColumns(kept, room - GAP * (kept.length - 1));
  return columns.map((column) => (left.has(column) ? widths.get(column) : undefined));
}

/**
 * @param room terminal columns that no piece exceeds; by default a word of up to `WHOLE` is one
 * @returns the pieces between which a text may break: words, and the parts of long ones
 */
function pieces(text: string, room = WHOLE): readonly string[] {
  const fits = (piece: string, width: number): boolean => stringWidth(piece.trimEnd()) <= width;
  return words(text)
    .flatMap((word) => (fits(word, WHOLE) ? [word] : word.split(/(?<=[/=;&?])(?=[^/=;&?])/)))
    .flatMap((part) => (fits(part, room) ? [part] : slices(part, room)));
}

/** @returns the words with the blanks or the comma after each */
function words(text: string): readonly string[] {
  return text.split(/(?<=[ ,])(?=[^ ,])/);
}

/** Breaks between grapheme clusters, as half of one shows as something else. */
function slices(text: string, room: number): readonly string[] {
  const made = [''];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const longer = `${made.at(-1) ?? ''}${segment}`;
    if (stringWidth(longer) > room) {
      made.push(segment);
    } else {
      made[made.length - 1] = longer;
    }
  }
  return made;
}

/** @returns the lines of a text that breaks between its pieces, at least one. A piece that is wider stays whole. */
function wrapText(parts: readonly string[], room: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of parts) {
    if (line !== '' && stringWidth((line + part).trimEnd()) > room) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += part;
  }
  return [...lines, line.trimEnd()];
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));
}

/** @returns the column of the highest rank, of several the last one; undefined: all others must stay */
function nextToLeave(columns: readonly ColumnFit[]): ColumnFit | undefined {
  const highest = Math.max(...columns.map(({ rank }) => rank));
  return highest === 0 ? undefined : columns.findLast(({ rank }) => rank === highest);
}

/** Takes from the widest columns first, so that the narrow ones need no second line. */
function narrowColumns(columns: readonly ColumnFit[], room: number): ReadonlyMap<ColumnFit, number> {
  const capAt = (cap: number, isHard: boolean): readonly number[] =>
    columns.map(({ natural, min }) => Math.min(natural, isHard ? cap : Math.max(min, cap)));
  const fits = (cap: number, isHard: boolean): boolean =>
    capAt(cap, isHard).reduce((sum, width) => sum + width, 0) <= room;
  // Columns that must stay may not fit by their least widths.
  const isHard = !fits(1, false);
  let cap = Math.max(1, ...columns.map(({ natural }) => natural));
  if (!fits(cap, isHard)) {
    let enough = 1;
    while (cap - enough > 1) {
      const middle = Math.floor((enough + cap) / 2);
      [enough, cap] = fits(middle, isHard) ? [middle, cap] : [enough, middle];
    }
    cap = enough;
  }
  const widths = capAt(cap, isHard);
  return new Map(columns.map((column, place) => [column, widths[place] ?? 1]));
}

/** A style of text on a terminal. */
export type TextStyle = 'bold' | 'cyan' | 'dim' | 'red' | 'green' | 'yellow';

/**
 * @param color as `CliIo` says: it knows the terminal, NO_COLOR and FORCE_COLOR
 * @returns the text with its style, or as it is where there are no colours
 */
export function applyStyle(style: TextStyle, text: string, color: boolean): string {
  // Later versions of Node would look at the standard output of the process by themselves.
  return color ? styleText(style, text, { validateStream: false }) : text;
}
