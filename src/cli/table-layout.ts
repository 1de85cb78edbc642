import stringWidth from 'string-width';

/** The way in which a column of a table gives way where the terminal is narrow. */
export interface ColumnFit {
  /** The width of its widest text, title included. */
  readonly natural: number;
  /** It is not shortened below this. */
  readonly min: number;
  /** Columns of a higher rank are left out first; 0: never. */
  readonly rank: number;
}

/** Columns between two columns of a table. */
export const GAP = 2;

const ELLIPSIS = '…';

/**
 * Fits columns into a line: shortens the widest ones, and leaves out columns by their rank where that is not enough.
 * @param room characters of a line; Infinity: nothing is cut
 * @returns the width of each column; undefined for one that is left out
 */
export function fitColumns(columns: readonly ColumnFit[], room: number): readonly (number | undefined)[] {
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
export function fitText(text: string, width: number, align: 'left' | 'right'): string {
  const fitting = stringWidth(text) > width ? cutText(text, width) : text;
  const padding = ' '.repeat(Math.max(0, width - stringWidth(fitting)));
  return align === 'right' ? padding + fitting : fitting + padding;
}

/**
 * Breaks a text between words, or after a comma. A longer word stays whole: the terminal wraps it, and it can be
 * copied.
 * @returns its lines, at least one
 */
export function wrapText(text: string, room: number): readonly string[] {
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
