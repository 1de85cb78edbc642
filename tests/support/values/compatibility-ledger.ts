import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isServiceError } from '../../../src/kernel/errors.ts';

/** A line of the tables in docs/compatibility.md that exclude rows of vector files. */
export interface LedgerEntry {
  /** The vector file, without its ending. */
  readonly file: string;
  /** A pattern for the row's name; `*` stands for any characters, `\*` for itself. */
  readonly pattern: string;
  readonly reason: string;
}

const PAGE = join(import.meta.dirname, '../../../docs', 'compatibility.md');
const LINE = /^\| `([^`]+)` +\| `([^`]+)` +\| (.+?) *\|$/;

/** @returns the entries of the page's section "Computed vectors" */
export function readLedger(page = readFileSync(PAGE, 'utf8')): LedgerEntry[] {
  const [, section = ''] = page.split(/^## Computed vectors$/m);
  return (section.split(/^## /m)[0] ?? '').split('\n').flatMap((line) => {
    const [, file, pattern, reason] = LINE.exec(line) ?? [];
    return file === undefined || pattern === undefined || reason === undefined
      ? []
      : [{ file, pattern, reason }];
  });
}

/**
 * @param title of the page's section
 * @param file the subject of the entries, if the section is about one file alone
 * @returns the entries of a section whose table has the columns row and reason
 */
export function readNamedLedger(
  title: string,
  file: string,
  page = readFileSync(PAGE, 'utf8'),
): LedgerEntry[] {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? '';
  return section.split('\n').flatMap((line) => {
    const [, pattern, reason] = /^\| `([^`]+)` +\| ([^|]+?) *\|$/.exec(line) ?? [];
    return pattern === undefined || reason === undefined ? [] : [{ file, pattern, reason }];
  });
}

/** @returns true if the pattern matches the row's name */
export function isMeant(pattern: string, name: string): boolean {
  const literal = pattern
    .split(/(?<!\\)\*/)
    .map((part) => part.replaceAll('\\*', '*').replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 's').test(name);
}

/** A row of a vector file, its name in the ledger, and its result. */
export interface CheckedRow {
  readonly name: string;
  readonly holds: boolean;
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

/** @returns text as the ledger writes it: in ASCII, other characters as \uXXXX */
export function ledgerText(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * @returns the result of `attempt`, or undefined if it is refused with a ServiceError; any other error is a fault and
 * passes through
 */
export async function unlessRefused<Value>(
  attempt: () => Value | Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await attempt();
  } catch (error) {
    if (isServiceError(error)) {
      return undefined;
    }
    throw error;
  }
}
