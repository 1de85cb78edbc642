import { createHash, createHmac, type Hash } from 'node:crypto';
import type { DerivedKey, KeyDerivation } from '../keys/vault.ts';
import { type BackupHeader, endLine, headerLine, tableEndLine, tableLine } from './backup-format.ts';

/** The purpose of the keys that authenticate backups. */
const PURPOSE = 'backups';
/** Characters of a line of rows, unless one row alone is longer. */
const LINE_LENGTH = 1_048_576;

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
export function addLine(hash: Hash, line: string): void {
  hash.update(line).update('\n');
}

/** @returns the HMAC of a backup with that hash, hexadecimal */
function macOf({ bytes }: DerivedKey, sha256: string): string {
  return createHmac('sha256', bytes).update(sha256).digest('hex');
}

/** @returns the HMAC of that hash by the named key; undefined if the installation has no such key */
export function expectedMac(keys: KeyDerivation, keyId: string, sha256: string): string | undefined {
  const key = keys.derive(PURPOSE).find((one) => one.keyId === keyId);
  return key === undefined ? undefined : macOf(key, sha256);
}
