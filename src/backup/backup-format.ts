import { createTarDecoder, createTarPacker, type ParsedTarEntry } from 'modern-tar';
import { createHash, createHmac } from 'node:crypto';
import { ReadableStream } from 'node:stream/web';
import { z } from 'zod';
import { equalText } from '../kernel/constant-time.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { DerivedKey, Vault, RegisteredKey } from '../keys/vault.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'backup.invalid': NoPayload;
    'database.not-empty': NoPayload;
  }
}

/*
 * A backup is a tar. Its members `tables/TABLE/N.copy`, one after the other, are what COPY writes of each table; then
 * come `manifest.json`, and `manifest.mac` with the HMAC-SHA-256 of it.
 */

/** The version of the format. A program reads its own alone. */
const FORMAT = 2;
/** The purpose of the keys that authenticate backups. */
const PURPOSE = 'backups';
const MANIFEST = 'manifest.json';
const MAC = 'manifest.mac';
const MEMBER = /^tables\/([a-z_]+)\/\d+\.copy$/;
/** Bytes of a member, whose size precedes it. */
const MEMBER_SIZE = 262_144;
/** The most bytes of the manifest. */
const MAX_MANIFEST = 4 * 1_048_576;
const LINE_FEED = 10;

const Base64 = z.base64().transform((text) => Buffer.from(text, 'base64'));
const Key = z
  .object({
    key_id: z.string(),
    canary: Base64,
    wrapped: z.object({ bytes: Base64, by: z.string() }).optional(),
    current: z.boolean(),
    retired: z.boolean(),
  })
  .transform(({ key_id: keyId, canary, wrapped, current, retired }): RegisteredKey => ({
    keyId,
    canary,
    ...(wrapped !== undefined && { wrapped }),
    ...(current && { isCurrent: true }),
    ...(retired && { isRetired: true }),
  }));
const Table = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  rows: z.int().nonnegative(),
  sha256: z.string(),
  /** The last id that the table has given, in decimal digits. */
  last_id: z.string().optional(),
});
const Manifest = z.object({
  tankeeper_backup: z.literal(FORMAT),
  /** The version of the program that wrote it. */
  version: z.string(),
  created: z.coerce.date(),
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  /** The keys that sealed its secrets. Only keys that a module has wrapped are part of a backup. */
  keys: z.array(Key),
  /** The months of the audit that have a partition: `2026-11`. */
  audit_months: z.array(z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/)),
  tables: z.array(Table),
});
const Mac = z.object({ key_id: z.string(), value: z.string() });

export type BackupManifest = z.output<typeof Manifest>;
export type BackedUpTable = z.output<typeof Table>;

/** The tables at one instant. */
export interface BackupSnapshot {
  readonly migrations: BackupManifest['migrations'];
  readonly keys: readonly RegisteredKey[];
  readonly auditMonths: readonly string[];
  readonly tables: readonly Pick<BackedUpTable, 'name' | 'columns' | 'last_id'>[];
  /** @returns what COPY writes of a table */
  copy(table: string): AsyncIterable<Uint8Array>;
}

/** The number of rows of each table. */
export type RowCounts = Map<string, number>;

export function total(rows: RowCounts): number {
  return [...rows.values()].reduce((sum, count) => sum + count, 0);
}

export function rowsOf({ tables }: BackupManifest): RowCounts {
  return new Map(tables.map(({ name, rows }) => [name, rows]));
}

/**
 * @param counts receives the number of rows of each table, while they are read
 * @returns the tar of a backup
 */
export async function* packBackup(
  snapshot: BackupSnapshot,
  version: string,
  created: Date,
  keys: Pick<Vault, 'derive'>,
  counts: RowCounts,
): AsyncGenerator<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const packed = readable.getReader();
  const member = async function* (name: string, bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    const writer = controller.add({ name, size: bytes.length, mode: 0o600, mtime: created }).getWriter();
    await writer.write(bytes);
    await writer.close();
    // The packer would queue megabytes.
    for (let left = bytes.length; left > 0;) {
      const { value } = await packed.read();
      left -= value?.length ?? left;
      yield value ?? new Uint8Array();
    }
  };
  const tables: BackedUpTable[] = [];
  for (const table of snapshot.tables) {
    const content = new TableContent();
    let number = 0;
    for await (const bytes of inMembers(snapshot.copy(table.name))) {
      content.add(bytes);
      counts.set(table.name, content.rows);
      yield* member(`tables/${table.name}/${String((number += 1))}.copy`, bytes);
    }
    counts.set(table.name, content.rows);
    tables.push({ ...table, rows: content.rows, sha256: content.sha256() });
  }
  const manifest = Buffer.from(manifestText(snapshot, version, created, tables));
  const [key] = keys.derive(PURPOSE);
  yield* member(MANIFEST, manifest);
  yield* member(MAC, Buffer.from(JSON.stringify({ key_id: key.keyId, value: macOf(key, manifest) })));
  controller.finalize();
  for (let next = await packed.read(); !next.done; next = await packed.read()) {
    yield next.value;
  }
}

function manifestText(
  { migrations, keys, auditMonths }: BackupSnapshot,
  version: string,
  created: Date,
  tables: readonly BackedUpTable[],
): string {
  const manifest: z.input<typeof Manifest> = {
    tankeeper_backup: FORMAT,
    version,
    created: created.toISOString(),
    migrations,
    keys: keys.map(({ keyId, canary, wrapped, isCurrent = false, isRetired = false }) => ({
      key_id: keyId,
      canary: canary.toString('base64'),
      ...(wrapped !== undefined && {
        wrapped: { bytes: wrapped.bytes.toString('base64'), by: wrapped.by },
      }),
      current: isCurrent,
      retired: isRetired,
    })),
    audit_months: [...auditMonths],
    tables: [...tables],
  };
  return JSON.stringify(manifest, null, 1);
}

async function* inMembers(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    pending.push(piece);
    size += piece.length;
    if (size >= MEMBER_SIZE) {
      yield Buffer.concat(pending);
      pending = [];
      size = 0;
    }
  }
  if (size > 0) {
    yield Buffer.concat(pending);
  }
}

/** What was read of a table. */
class TableContent {
  readonly #hash = createHash('sha256');
  rows = 0;

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    // COPY ends each row by a line feed, and writes none elsewhere.
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
      this.rows += 1;
    }
  }

  sha256(): string {
    return this.#hash.digest('hex');
  }
}

function macOf({ bytes }: DerivedKey, manifest: Uint8Array): string {
  return createHmac('sha256', bytes).update(manifest).digest('hex');
}

/** A backup that was read to its end, and whose tables are those of its manifest. */
export interface ReadBackup {
  readonly manifest: BackupManifest;
  /** @throws ServiceError 'backup.invalid' unless an installation with these keys has made it */
  assertMade(keys: Pick<Vault, 'derive'>): void;
}

/**
 * Reads a backup.
 * @param take gets each table that has rows, and reads its bytes to the end. They are to be trusted only after
 *   `assertMade`
 * @throws ServiceError 'backup.invalid'
 */
export async function readBackup(
  tar: AsyncIterable<Uint8Array>,
  take: (table: string, bytes: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<ReadBackup> {
  const found = new Map<string, TableContent>();
  const members = membersOf(tar);
  try {
    let member = await members.next();
    const bytesOf = async function* (table: string): AsyncGenerator<Uint8Array> {
      const content = new TableContent();
      found.set(table, content);
      while (member.done !== true && tableOf(member.value) === table) {
        for await (const bytes of member.value.body) {
          content.add(bytes);
          yield bytes;
        }
        member = await members.next();
      }
    };
    while (member.done !== true) {
      const table = tableOf(member.value);
      if (table === undefined) {
        break;
      }
      if (found.has(table)) {
        throw backupInvalid(`the table ${table} is in it twice`);
      }
      await take(table, bytesOf(table));
    }
    const manifest = await contentOf(member, MANIFEST);
    const mac = parse(Mac, await contentOf(await members.next(), MAC));
    if ((await members.next()).done !== true) {
      throw backupInvalid('there is something after its end');
    }
    return readAs(manifest, mac, found);
  } finally {
    await members.return(undefined);
  }
}

function tableOf({ header: { name, type = 'file' } }: ParsedTarEntry): string | undefined {
  return type === 'file' ? MEMBER.exec(name)?.[1] : undefined;
}

async function* membersOf(tar: AsyncIterable<Uint8Array>): AsyncGenerator<ParsedTarEntry> {
  try {
    yield* ReadableStream.from(tar).pipeThrough(
      createTarDecoder({ strict: true }),
    ) as AsyncIterable<ParsedTarEntry>;
  } catch (error) {
    throw isServiceError(error) ? error : backupInvalid('what it holds is no backup', error);
  }
}

async function contentOf(member: IteratorResult<ParsedTarEntry, unknown>, name: string): Promise<Buffer> {
  if (member.done === true || member.value.header.name !== name) {
    throw backupInvalid(`it has no ${name} where one belongs`);
  }
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of member.value.body) {
    pieces.push(bytes);
    size += bytes.length;
    if (size > MAX_MANIFEST) {
      throw backupInvalid(`its ${name} is too long`);
    }
  }
  return Buffer.concat(pieces);
}

function parse<T>(schema: z.ZodType<T>, text: Buffer): T {
  try {
    return schema.parse(JSON.parse(text.toString('utf8')));
  } catch (error) {
    throw backupInvalid('it has another form than this program reads', error);
  }
}

/** @throws ServiceError 'backup.invalid' if the tables are not those of the manifest */
function readAs(text: Buffer, mac: z.output<typeof Mac>, found: Map<string, TableContent>): ReadBackup {
  const manifest = parse<BackupManifest>(Manifest, text);
  for (const { name, rows, sha256 } of manifest.tables) {
    const content = found.get(name) ?? new TableContent();
    if (content.rows !== rows || content.sha256() !== sha256) {
      throw backupInvalid(`the rows of the table ${name} are not those that were written`);
    }
    found.delete(name);
  }
  if (found.size > 0) {
    throw backupInvalid(`it has tables that its manifest does not name: ${[...found.keys()].join(', ')}`);
  }
  return {
    manifest,
    // Anyone who knows an age recipient can encrypt for it, so the encryption does not tell the origin.
    assertMade: (keys) => {
      const key = keys.derive(PURPOSE).find(({ keyId }) => keyId === mac.key_id);
      if (key === undefined || !equalText(macOf(key, text), mac.value)) {
        throw backupInvalid('it was not made by an installation with these encryption keys');
      }
    },
  };
}

/** @param reason a clause: `the file is no backup of tankeeper` */
export function backupInvalid(reason: string, cause?: unknown): ServiceError<'backup.invalid'> {
  return new ServiceError('backup.invalid', `The backup cannot be used: ${reason}`, { cause });
}
