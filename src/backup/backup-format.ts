import { ServiceError } from '../kernel/errors.ts';
import type { RegisteredKey, DerivedKey, KeyDerivation } from '../keys/vault.ts';
import { createHash, createHmac, type Hash } from 'node:crypto';
import { equalText } from '../kernel/constant-time.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'backup.invalid': NoPayload;
    'database.not-empty': NoPayload;
  }
}

/** The version of the format. A program reads its own format and no newer one. */
const BACKUP_FORMAT = 1;

/** The origin of a backup, and the facts that a restore needs before the first row. */
export interface BackupHeader {
  /** The version of the program that wrote it. */
  readonly version: string;
  readonly createdAt: Date;
  /** The names of the migrations of its tables, in order. */
  readonly migrations: readonly string[];
  /** The checksums of these migrations. */
  readonly checksums: ReadonlyMap<string, string>;
  /** The keys that sealed its secrets. Only keys that a module has wrapped are part of a backup. */
  readonly keys: readonly RegisteredKey[];
  /** The last id that each table has given, by table; decimal digits. */
  readonly identities: ReadonlyMap<string, string>;
  /** The months of the audit that have a partition: `2026-11`. */
  readonly auditMonths: readonly string[];
  /** The tables, in the order of the file, which respects foreign keys. */
  readonly tables: readonly string[];
}

/** The end of one table. */
interface TableEnd {
  readonly rows: number;
  /** SHA-256 of its lines of rows, hexadecimal. */
  readonly sha256: string;
}

/** The end of a backup. */
interface BackupEnd {
  readonly rows: number;
  /** SHA-256 of all lines before, hexadecimal. */
  readonly sha256: string;
  /** HMAC-SHA-256 of that hash, hexadecimal, by a key that is derived from the installation's. */
  readonly mac: { readonly keyId: string; readonly value: string };
}

type JsonObject = Readonly<Record<string, unknown>>;

export function headerLine(header: BackupHeader): string {
  return JSON.stringify({
    tankeeper_backup: BACKUP_FORMAT,
    version: header.version,
    created: header.createdAt.toISOString(),
    migrations: header.migrations,
    checksums: Object.fromEntries(header.checksums),
    keys: header.keys.map((key) => ({
      key_id: key.keyId,
      canary: key.canary.toString('base64'),
      ...(key.wrapped !== undefined && {
        wrapped: key.wrapped.bytes.toString('base64'),
        wrapped_by: key.wrapped.by,
      }),
      current: key.isCurrent === true,
      retired: key.isRetired === true,
    })),
    identities: Object.fromEntries(header.identities),
    audit_months: header.auditMonths,
    tables: header.tables,
  });
}

/** @throws ServiceError 'backup.invalid' if it is no header, or one of a newer format */
function parseHeader(line: string): BackupHeader {
  const found = parseObject(line);
  const format = found.tankeeper_backup;
  if (typeof format !== 'number') {
    throw backupInvalid('the file is no backup of tankeeper');
  }
  if (format > BACKUP_FORMAT) {
    throw backupInvalid(
      `the backup is newer than this program: it has format ${format} and was written by tankeeper ${String(found.version)}`,
    );
  }
  return {
    version: textOf(found, 'version'),
    createdAt: new Date(textOf(found, 'created')),
    migrations: textsOf(found, 'migrations'),
    checksums: textMapOf(found, 'checksums'),
    keys: listOf(found, 'keys').map((key) => toKey(objectOf(key))),
    identities: textMapOf(found, 'identities'),
    auditMonths: textsOf(found, 'audit_months'),
    tables: textsOf(found, 'tables'),
  };
}

/** @throws ServiceError 'backup.invalid' if it is not the line before the rows of `table` */
function assertTableLine(line: string, table: string): void {
  if (parseObject(line).table !== table) {
    throw backupInvalid(`the table ${table} is not where it belongs`);
  }
}

/** @throws ServiceError 'backup.invalid' if it is not the line after the rows of a table */
function parseTableEnd(line: string): TableEnd {
  const found = parseObject(line);
  return { rows: numberOf(found, 'rows'), sha256: textOf(found, 'sha256') };
}

/** @throws ServiceError 'backup.invalid' if it is not the last line */
function parseEnd(line: string): BackupEnd {
  const found = parseObject(line);
  const end = objectOf(found.end);
  const mac = objectOf(found.mac);
  return {
    rows: numberOf(end, 'rows'),
    sha256: textOf(end, 'sha256'),
    mac: { keyId: textOf(mac, 'key_id'), value: textOf(mac, 'value') },
  };
}

/**
 * @returns the number of rows in a line of rows
 * @throws ServiceError 'backup.invalid' if it is none
 */
function countRows(line: string): number {
  const rows = parse(line);
  if (!Array.isArray(rows)) {
    throw backupInvalid('a line of rows is none');
  }
  return rows.length;
}

function toKey(key: JsonObject): RegisteredKey {
  return {
    keyId: textOf(key, 'key_id'),
    canary: Buffer.from(textOf(key, 'canary'), 'base64'),
    ...(typeof key.wrapped === 'string' && {
      wrapped: { bytes: Buffer.from(key.wrapped, 'base64'), by: textOf(key, 'wrapped_by') },
    }),
    ...(key.current === true && { isCurrent: true }),
    ...(key.retired === true && { isRetired: true }),
  };
}

function parseObject(line: string): JsonObject {
  return objectOf(parse(line));
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw backupInvalid('a line of it is no JSON');
  }
}

function objectOf(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw backupInvalid('a line of it is not of the expected form');
  }
  return value as JsonObject;
}

function listOf(found: JsonObject, name: string): readonly unknown[] {
  const value = found[name];
  if (!Array.isArray(value)) {
    throw backupInvalid(`it has no list '${name}'`);
  }
  return value;
}

function textMapOf(found: JsonObject, name: string): ReadonlyMap<string, string> {
  return new Map(Object.entries(objectOf(found[name])).map(([key, value]) => [key, String(value)]));
}

function textsOf(found: JsonObject, name: string): readonly string[] {
  return listOf(found, name).map(String);
}

function textOf(found: JsonObject, name: string): string {
  const value = found[name];
  if (typeof value !== 'string') {
    throw backupInvalid(`it has no text '${name}'`);
  }
  return value;
}

function numberOf(found: JsonObject, name: string): number {
  const value = found[name];
  if (typeof value !== 'number') {
    throw backupInvalid(`it has no number '${name}'`);
  }
  return value;
}

/** @param reason a clause: `the file is no backup of tankeeper` */
export function backupInvalid(reason: string, cause?: unknown): ServiceError<'backup.invalid'> {
  return new ServiceError('backup.invalid', `The backup cannot be used: ${reason}`, { cause });
}

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

export type RowCounts = Map<string, number>;

export function total(rows: RowCounts): number {
  return [...rows.values()].reduce((sum, count) => sum + count, 0);
}

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
    yield hashed(JSON.stringify({ table }));
    const own = createHash('sha256');
    counts.set(table, 0);
    for await (const { line, size } of rowLines(snapshot.rows(table))) {
      addLine(own, line);
      counts.set(table, (counts.get(table) ?? 0) + size);
      yield hashed(line);
    }
    const count = counts.get(table) ?? 0;
    rows += count;
    yield hashed(JSON.stringify({ rows: count, sha256: own.digest('hex') } satisfies TableEnd));
  }
  const sha256 = whole.digest('hex');
  const [key] = keys.derive(PURPOSE);
  const mac = { key_id: key.keyId, value: macOf(key, sha256) };
  yield JSON.stringify({ end: { rows, sha256 }, mac });
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
  if (end.rows !== total(counts) || end.sha256 !== sha256) {
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
