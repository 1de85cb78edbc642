import { ServiceError } from '../kernel/errors.ts';
import type { RegisteredKey } from '../keys/vault.ts';

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
export interface TableEnd {
  readonly rows: number;
  /** SHA-256 of its lines of rows, hexadecimal. */
  readonly sha256: string;
}

/** The end of a backup. */
export interface BackupEnd {
  readonly rows: number;
  /** SHA-256 of all lines before, hexadecimal. */
  readonly sha256: string;
  /** HMAC-SHA-256 of that hash, hexadecimal, by a key that is derived from the installation's. */
  readonly mac: { readonly keyId: string; readonly value: string };
}

type JsonObject = Readonly<Record<string, unknown>>;

/** @returns the first line of a backup */
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
      waiting: key.isWaiting === true,
      retired: key.isRetired === true,
    })),
    identities: Object.fromEntries(header.identities),
    audit_months: header.auditMonths,
    tables: header.tables,
  });
}

/** @throws ServiceError 'backup.invalid' if it is no header, or one of a newer format */
export function parseHeader(line: string): BackupHeader {
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

/** @returns the line before the rows of a table */
export function tableLine(table: string): string {
  return JSON.stringify({ table });
}

/** @returns the line after the rows of a table */
export function tableEndLine(end: TableEnd): string {
  return JSON.stringify(end);
}

/** @returns the last line of a backup */
export function endLine({ rows, sha256, mac }: BackupEnd): string {
  return JSON.stringify({ end: { rows, sha256 }, mac: { key_id: mac.keyId, value: mac.value } });
}

/** @throws ServiceError 'backup.invalid' if it is not the line before the rows of `table` */
export function assertTableLine(line: string, table: string): void {
  if (parseObject(line).table !== table) {
    throw backupInvalid(`the table ${table} is not where it belongs`);
  }
}

/** @throws ServiceError 'backup.invalid' if it is not the line after the rows of a table */
export function parseTableEnd(line: string): TableEnd {
  const found = parseObject(line);
  return { rows: numberOf(found, 'rows'), sha256: textOf(found, 'sha256') };
}

/** @throws ServiceError 'backup.invalid' if it is not the last line */
export function parseEnd(line: string): BackupEnd {
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
export function countRows(line: string): number {
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
    ...(key.waiting === true && { isWaiting: true }),
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
