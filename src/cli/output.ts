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

/** The way in which a column of a table gives way where the terminal is narrow. */
interface ColumnFit {
  /** The width of its widest text, title included. */
  readonly natural: number;
  /** It is not shortened below this. */
  readonly min: number;
  /** Columns of a higher rank are left out first; 0: never. */
  readonly rank: number;
}

/** Columns between two columns of a table. */
const GAP = 2;

const ELLIPSIS = '…';

/**
 * Fits columns into a line: shortens the widest ones, and leaves out columns by their rank where that is not enough.
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
  const widths = shortenColumns(kept, room - GAP * (kept.length - 1));
  return columns.map((column) => (left.has(column) ? widths.get(column) : undefined));
}

/** @returns the text in exactly that many terminal columns, its end replaced by … if it is longer */
function fitText(text: string, width: number, align: 'left' | 'right'): string {
  const fitting = stringWidth(text) > width ? cutText(text, width) : text;
  const padding = ' '.repeat(Math.max(0, width - stringWidth(fitting)));
  return align === 'right' ? padding + fitting : fitting + padding;
}

/**
 * Breaks a text between words, or after a comma. A longer word stays whole: the terminal wraps it, and it can be
 * copied.
 * @returns its lines, at least one
 */
function wrapText(text: string, room: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<=[ ,])(?=[^ ,])/)) {
    if (line !== '' && stringWidth((line + word).trimEnd()) > room) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += word;
  }
  return [...lines, line.trimEnd()];
}

/** Cuts between grapheme clusters, as half of one shows as something else. */
function cutText(text: string, width: number): string {
  let [cut, used] = ['', 0];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) {
      break;
    }
    cut += segment;
  }
  return width < 1 ? '' : cut + ELLIPSIS;
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));
}

/** @returns the column of the highest rank, of several the last one; undefined: all others must stay */
function nextToLeave(columns: readonly ColumnFit[]): ColumnFit | undefined {
  const highest = Math.max(...columns.map(({ rank }) => rank));
  return highest === 0 ? undefined : columns.findLast(({ rank }) => rank === highest);
}

/** Takes from the widest columns first, so that the narrow ones stay whole. */
function shortenColumns(columns: readonly ColumnFit[], room: number): ReadonlyMap<ColumnFit, number> {
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
