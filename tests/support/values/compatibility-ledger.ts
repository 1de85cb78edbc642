import { type Ledgers, readLedgers } from '../../../scripts/recorded-differences.ts';
import type { CheckedRow } from '../vectors/vectors.ts';

/** An intended difference of docs/reference/recorded-differences.md, which excludes rows of a file. */
export interface LedgerEntry {
  /** The file of vectors or recordings, without its ending. */
  readonly file: string;
  /** A pattern for the row's name; `*` stands for any characters, `\*` for itself. */
  readonly pattern: string;
  readonly reason: string;
}

/** @returns the entries of a ledger, one for each pattern */
export function readLedger(name: keyof Ledgers = 'vectors'): LedgerEntry[] {
  return readLedgers()[name].flatMap(({ file, rows, reason }) =>
    rows.map((pattern) => ({ file, pattern, reason })),
  );
}

/** @returns true if the pattern matches the row's name */
export function isMeant(pattern: string, name: string): boolean {
  const literal = pattern
    .split(/(?<!\\)\*/)
    .map((part) => part.replaceAll('\\*', '*').replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 's').test(name);
}

/** The differences between a vector file and the ledger. All empty: no difference. */
export interface LedgerFindings {
  /** Rows that fail without an entry that excludes them. */
  readonly unlisted: readonly string[];
  /** Rows that are excluded but pass. */
  readonly needless: readonly string[];
  /** Entries that match no row. */
  readonly stale: readonly string[];
}

export const NOTHING_FOUND: LedgerFindings = { unlisted: [], needless: [], stale: [] };

/** Compares the rows of a file with the ledger's entries for it. */
export function compareWithLedger(
  file: string,
  rows: readonly CheckedRow[],
  ledger = readLedger(),
): LedgerFindings {
  const patterns = ledger.filter((entry) => entry.file === file).map(({ pattern }) => pattern);
  const isSetAside = ({ name }: CheckedRow): boolean => patterns.some((pattern) => isMeant(pattern, name));
  return {
    unlisted: rows.filter((row) => !row.holds && !isSetAside(row)).map(({ name }) => name),
    needless: rows.filter((row) => row.holds && isSetAside(row)).map(({ name }) => name),
    stale: patterns.filter((pattern) => !rows.some(({ name }) => isMeant(pattern, name))),
  };
}
