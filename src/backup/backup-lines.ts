import { createHash, createHmac, type Hash } from 'node:crypto';

import type { DerivedKey, KeyDerivation } from '../keys/vault.ts';
import {
  assertTableLine,
  type BackupEnd,
  type BackupHeader,
  backupInvalid,
  countRows,
  endLine,
  headerLine,
  parseEnd,
  parseHeader,
  parseTableEnd,
  tableEndLine,
  tableLine,
} from './backup-format.ts';
import { equalText } from '../kernel/constant-time.ts';

/** The purpose of the keys that authenticate backups. */
const PURPOSE = 'backups';
/** Characters of a line of rows, unless one row alone is longer. */
const LINE_LENGTH = 131_072;

/** The tables at one instant. */
export interface BackupSnapshot {
  facts(): Promise<Omit<BackupHeader, 'version' | 'createdAt'>>;
  /** @returns the rows of a table as JSON objects, some at a time */
  rows(table: string): AsyncIterable<readonly string[]>;
}

/** The number of rows of each table. */
export type RowCounts = Map<string, number>;

/** Receives the number of rows so far, and the approximate number of all. */
export type RowProgress = (rows: number, of: number) => void;

/**
 * @param counts receives the number of rows of each table, while its lines are read
 * @returns the lines of a backup of the snapshot
 */
export async function* backupLines(
  snapshot: BackupSnapshot,
  header: BackupHeader,
  keys: KeyDerivation,
  counts: RowCounts,
): AsyncGenerator<string> {
  const whole = createHash('sha256');
  const hashed = (line: string): string => {
    addLine(whole, line);
    return line;
  };
  yield hashed(headerLine(header));
  let rows = 0;
  for (const table of header.tables) {
    yield hashed(tableLine(table));
    const own = createHash('sha256');
    counts.set(table, 0);
    for await (const { line, size } of rowLines(snapshot.rows(table))) {
      addLine(own, line);
      counts.set(table, (counts.get(table) ?? 0) + size);
      yield hashed(line);
    }
    const count = counts.get(table) ?? 0;
    rows += count;
    yield hashed(tableEndLine({ rows: count, sha256: own.digest('hex') }));
  }
  const sha256 = whole.digest('hex');
  const [key] = keys.derive(PURPOSE);
  yield endLine({ rows, sha256, mac: { keyId: key.keyId, value: macOf(key, sha256) } });
}

/** @returns the lines of rows, each a JSON array */
async function* rowLines(
  batches: AsyncIterable<readonly string[]>,
): AsyncGenerator<{ readonly line: string; readonly size: number }> {
  for await (const batch of batches) {
    let some: string[] = [];
    let length = 0;
    for (const row of batch) {
      some.push(row);
      length += row.length;
      if (length >= LINE_LENGTH) {
        yield { line: `[${some.join(',')}]`, size: some.length };
        some = [];
        length = 0;
      }
    }
    if (some.length > 0) {
      yield { line: `[${some.join(',')}]`, size: some.length };
    }
  }
}

/** Adds a line and its end to a hash. */
function addLine(hash: Hash, line: string): void {
  hash.update(line).update('\n');
}

/** @returns the HMAC of a backup with that hash, hexadecimal */
function macOf({ bytes }: DerivedKey, sha256: string): string {
  return createHmac('sha256', bytes).update(sha256).digest('hex');
}

/** @returns the HMAC of that hash by the named key; undefined if the installation has no such key */
function expectedMac(keys: KeyDerivation, keyId: string, sha256: string): string | undefined {
  const key = keys.derive(PURPOSE).find((one) => one.keyId === keyId);
  return key === undefined ? undefined : macOf(key, sha256);
}

/** Some rows of a backup. */
interface BackupRows {
  readonly table: string;
  /** A JSON array of objects. */
  readonly json: string;
  readonly size: number;
}

/** A backup whose header is read. */
export interface OpenBackup {
  readonly header: BackupHeader;
  /**
   * Verifies the backup while it is read: checksums, row counts and, at its end, that it was made by the installation
   * that has these keys.
   * @returns the rows, in the order of the header's tables; after the last ones the number of rows of each table
   * @throws ServiceError 'backup.invalid'. Trust the rows only after the end
   */
  rows(keys: KeyDerivation): AsyncGenerator<BackupRows, RowCounts>;
}

/**
 * Reads the lines of a backup, once and in order.
 * @throws ServiceError 'backup.invalid' if it is none
 */
export async function openBackup(lines: AsyncIterable<string>): Promise<OpenBackup> {
  const reader = new LineReader(lines);
  const header = parseHeader(await reader.next());
  return { header, rows: (keys) => readTables(reader, header, keys) };
}

async function* readTables(
  reader: LineReader,
  { tables }: BackupHeader,
  keys: KeyDerivation,
): AsyncGenerator<BackupRows, RowCounts> {
  const counts: RowCounts = new Map();
  for (const table of tables) {
    assertTableLine(await reader.next(), table);
    counts.set(table, yield* readTable(reader, table));
  }
  const sha256 = reader.hash();
  const end = parseEnd(await reader.next());
  await reader.assertEnd();
  assertWhole(end, sha256, counts);
  assertMade(end, keys);
  return counts;
}

/** @returns the rows of a table; at the end their number */
async function* readTable(reader: LineReader, table: string): AsyncGenerator<BackupRows, number> {
  const hash = createHash('sha256');
  let rows = 0;
  let line = await reader.next();
  while (line.startsWith('[')) {
    addLine(hash, line);
    const size = countRows(line);
    rows += size;
    yield { table, json: line, size };
    line = await reader.next();
  }
  const end = parseTableEnd(line);
  if (end.rows !== rows || end.sha256 !== hash.digest('hex')) {
    throw backupInvalid(`the rows of the table ${table} are not those that were written`);
  }
  return rows;
}

function assertWhole(end: BackupEnd, sha256: string, counts: RowCounts): void {
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (end.rows !== rows || end.sha256 !== sha256) {
    throw backupInvalid('its rows are not those that were written');
  }
}

/** Anyone who knows an age recipient can encrypt for it, so the encryption does not tell the origin. */
function assertMade(end: BackupEnd, keys: KeyDerivation): void {
  const expected = expectedMac(keys, end.mac.keyId, end.sha256);
  if (expected === undefined || !equalText(expected, end.mac.value)) {
    throw backupInvalid('it was not made by an installation with these encryption keys');
  }
}

/** The lines of a backup, and the hash of those that were read. */
class LineReader {
  readonly #lines: AsyncIterator<string>;
  readonly #hash: Hash = createHash('sha256');

  constructor(lines: AsyncIterable<string>) {
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** @throws ServiceError 'backup.invalid' if there is no further line */
  async next(): Promise<string> {
    const next = await this.#lines.next();
    if (next.done === true) {
      throw backupInvalid('it ends too early');
    }
    addLine(this.#hash, next.value);
    return next.value;
  }

  /** @returns SHA-256 of the lines so far, hexadecimal */
  hash(): string {
    return this.#hash.copy().digest('hex');
  }

  async assertEnd(): Promise<void> {
    if ((await this.#lines.next()).done !== true) {
      throw backupInvalid('there is something after its end');
    }
  }
}
