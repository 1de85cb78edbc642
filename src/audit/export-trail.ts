import { csvLine, safeText, parseJsonObject } from '../kernel/text.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type AuditFilter, type AuditPeriod, type AuditRow, ROW_MEMBERS } from './audit-row.ts';
import type { Checkpoint, InstallationKey } from './checkpoint.ts';
import type { Pruning, Trail, TrailPart } from './verification.ts';

/** `jsonl` can be verified elsewhere; `csv` is for spreadsheets. */
export type ExportFormat = 'jsonl' | 'csv';

/** The format and version that the first line of an export names. */
const EXPORT_FORM = 'tankeeper audit 2';
/** The same of an extract. */
const EXTRACT_FORM = 'tankeeper audit extract 1';

/** Where and how an export is written. */
interface ExportOptions {
  readonly at: Date;
  readonly format: ExportFormat;
  /** Gets the text piece by piece; each piece waits until the last one was taken. */
  readonly write: (text: string) => Promise<void>;
}

/**
 * Writes a trail as text. JSON lines: a head with the public keys of the installation, each checkpoint with its rows
 * after it, the rows that none covers yet, and an end with the number of rows. A period has no checkpoint without rows.
 * @returns the number of rows
 */
export function exportTrail(
  { parts, pruning, isWhole }: Trail,
  {
    keys,
    period,
    ...options
  }: ExportOptions & {
    readonly keys: readonly InstallationKey[];
    readonly period: AuditPeriod;
  },
): Promise<number> {
  const head = {
    form: EXPORT_FORM,
    at: options.at.toISOString(),
    since: period.since?.toISOString() ?? null,
    until: period.until?.toISOString() ?? null,
    pruning: pruning ?? null,
    keys: keys.map(({ keyId, publicKey }) => ({ keyId, publicKey: publicKey.toString('base64') })),
  };
  return writeParts(head, isWhole ? parts : withRows(parts), options);
}

async function* withRows(parts: AsyncIterable<TrailPart>): AsyncGenerator<TrailPart> {
  for await (const part of parts) {
    if (part.rows.length > 0) {
      yield part;
    }
  }
}

/**
 * Writes selected rows as text. Nobody can verify them. JSON lines: a head that says so
 * and names the filters, the rows, and an end with their number.
 * @param rows newest first
 * @returns the number of rows
 */
export function exportExtract(
  rows: AsyncIterable<readonly AuditRow[]>,
  {
    filter: { within, ...filter },
    ...options
  }: ExportOptions & { readonly filter: Omit<AuditFilter, 'limit' | 'after'> },
): Promise<number> {
  const head = {
    form: EXTRACT_FORM,
    note: 'selected rows, which cannot be verified',
    verifiable: false,
    at: options.at.toISOString(),
    filter,
    realms: within ?? null,
  };
  return writeParts(head, withoutCheckpoints(rows), options);
}

/**
 * @returns the outcome of an export, for its audit row: times as they are, of the other filters the names, as their
 *   values are foreign text
 */
export function exportNote(
  format: ExportFormat,
  { since, until, within, ...selecting }: Partial<AuditFilter>,
): string {
  const names = Object.entries(selecting)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  return [
    `handed out as ${format}`,
    ...(names.length === 0 ? [] : [`selected by ${names.join(' and ')}`]),
    ...(since === undefined ? [] : [`since ${since.toISOString()}`]),
    ...(until === undefined ? [] : [`until ${until.toISOString()}`]),
    ...(within === undefined ? [] : ['bound to realms']),
  ].join(', ');
}

async function* withoutCheckpoints(rows: AsyncIterable<readonly AuditRow[]>): AsyncGenerator<TrailPart> {
  for await (const some of rows) {
    yield { checkpoint: undefined, rows: some };
  }
}

async function writeParts(
  head: object,
  parts: AsyncIterable<TrailPart>,
  { format, write }: ExportOptions,
): Promise<number> {
  // Not before the first rows: a fault until then can still be answered in words.
  let ahead = format === 'csv' ? csvLine(ROW_MEMBERS) : jsonLine(head);
  let count = 0;
  for await (const { checkpoint, rows } of parts) {
    count += rows.length;
    const lines =
      format === 'csv'
        ? rows.map((row) => csvLine(ROW_MEMBERS.map((member) => row[member])))
        : [
            ...(checkpoint === undefined ? [] : [jsonLine({ checkpoint: inBase64(checkpoint) })]),
            ...rows.map((row) =>
              jsonLine({ row: Object.fromEntries(ROW_MEMBERS.map((member) => [member, row[member]])) }),
            ),
          ];
    await write(`${ahead}${lines.join('')}`);
    ahead = '';
  }
  await write(`${ahead}${format === 'csv' ? '' : jsonLine({ end: { rows: count } })}`);
  return count;
}

function inBase64(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [
      key,
      Buffer.isBuffer(value) ? value.toString('base64') : value,
    ]),
  );
}

function jsonLine(value: unknown): string {
  // The escaped text is the same JSON value, and harmless on a terminal.
  return `${safeText(JSON.stringify(value))}\n`;
}

const AT_ONCE = 1_000;

/** An export while it is read. */
interface ExportedTrail {
  readonly trail: Trail;
  /** The keys that the file names. They are as trustworthy as the transport of the file. */
  readonly keys: readonly InstallationKey[];
}

type ExportLine = Readonly<Record<string, unknown>>;

/**
 * Reads JSON lines of `exportTrail`, once and in order.
 * @throws ServiceError 'request.malformed' when the text is no export, or ends too early
 */
export async function readExportedTrail(text: AsyncIterable<string>): Promise<ExportedTrail> {
  const lines = text[Symbol.asyncIterator]();
  const head = await nextLine(lines);
  if (head?.form === EXTRACT_FORM) {
    throw malformed('The file is an extract of an audit trail, which cannot be verified');
  }
  if (head?.form !== EXPORT_FORM || !Array.isArray(head.keys)) {
    throw malformed('The file is no export of an audit trail as JSON lines');
  }
  const keys = (head.keys as ExportLine[]).map((key) => ({
    keyId: textOf(key, 'keyId'),
    publicKey: bytesOf(key, 'publicKey'),
  }));
  const pruning = head.pruning === null ? undefined : readPruning(head.pruning as ExportLine);
  const isWhole = head.since === null && head.until === null;
  return { trail: { isWhole, pruning, parts: exportedParts(lines) }, keys };
}

/** A line after the head: one of these. */
interface ExportEntry {
  readonly row?: AuditRow;
  readonly checkpoint?: Checkpoint;
  /** The number of rows. */
  readonly end?: number;
}

/** Rows belong to the checkpoint before them, up to its last id. */
async function* exportedParts(lines: AsyncIterator<string>): AsyncGenerator<TrailPart> {
  let part: { readonly checkpoint: Checkpoint | undefined; readonly rows: AuditRow[] } = newPart();
  let count = 0;
  for (;;) {
    const { row, checkpoint, end } = await nextEntry(lines);
    if (row === undefined || !isOf(part, row)) {
      yield part;
      part = newPart(checkpoint);
    }
    if (row !== undefined) {
      part.rows.push(row);
      count += 1;
    }
    if (end !== undefined) {
      if (end !== count) {
        throw malformed('The export ends too early, or lines are out of order');
      }
      return;
    }
  }
}

function newPart(checkpoint?: Checkpoint): { readonly checkpoint: Checkpoint | undefined; rows: AuditRow[] } {
  return { checkpoint, rows: [] };
}

function isOf({ checkpoint, rows }: TrailPart, { id }: AuditRow): boolean {
  return checkpoint === undefined ? rows.length < AT_ONCE : BigInt(id) <= BigInt(checkpoint.lastId);
}

async function nextEntry(lines: AsyncIterator<string>): Promise<ExportEntry> {
  const { row, checkpoint, end } = (await nextLine(lines)) ?? {};
  if (row !== undefined) {
    return { row: readRow(row as ExportLine) };
  }
  if (checkpoint !== undefined) {
    return { checkpoint: readCheckpoint(checkpoint as ExportLine) };
  }
  const rows = (end as ExportLine | undefined)?.rows;
  return { end: typeof rows === 'number' ? rows : -1 };
}

async function nextLine(lines: AsyncIterator<string>): Promise<ExportLine | undefined> {
  const next = await lines.next();
  if (next.done === true) {
    return undefined;
  }
  const line = parseJsonObject(next.value);
  if (line === undefined) {
    throw malformed('A line of the export is no JSON object');
  }
  return line;
}

function readRow(line: ExportLine): AuditRow {
  const row = Object.fromEntries(ROW_MEMBERS.map((member) => [member, textOf(line, member)]));
  return { ...row, id: digitsOf(line, 'id') } as Record<keyof AuditRow, string>;
}

function readCheckpoint(line: ExportLine): Checkpoint {
  return {
    number: numberOf(line, 'number'),
    at: textOf(line, 'at'),
    month: textOf(line, 'month'),
    afterId: digitsOf(line, 'afterId'),
    lastId: digitsOf(line, 'lastId'),
    rows: numberOf(line, 'rows'),
    leaves: bytesOf(line, 'leaves'),
    leavesHash: bytesOf(line, 'leavesHash'),
    prunes: textOf(line, 'prunes'),
    vouches: line.vouches === true,
    prevHash: bytesOf(line, 'prevHash'),
    keyId: textOf(line, 'keyId'),
    hash: bytesOf(line, 'hash'),
    signature: bytesOf(line, 'signature'),
  };
}

function readPruning(line: ExportLine): Pruning {
  return { number: numberOf(line, 'number'), before: textOf(line, 'before') };
}

function digitsOf(line: ExportLine, name: string): string {
  const digits = textOf(line, name);
  if (!/^-?\d{1,19}$/.test(digits)) {
    throw malformed(`A line of the export has no whole number '${name}'`);
  }
  return digits;
}

function textOf(line: ExportLine, name: string): string {
  const value = line[name];
  if (typeof value !== 'string') {
    throw malformed(`A line of the export has no text '${name}'`);
  }
  return value;
}

function numberOf(line: ExportLine, name: string): number {
  const value = line[name];
  if (typeof value !== 'number') {
    throw malformed(`A line of the export has no number '${name}'`);
  }
  return value;
}

function bytesOf(line: ExportLine, name: string): Buffer {
  return Buffer.from(textOf(line, name), 'base64');
}

function malformed(message: string): ServiceError {
  return new ServiceError('request.malformed', message);
}
