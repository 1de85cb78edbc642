import { csvLine, safeText, parseJsonObject } from '../kernel/text.ts';
import {
  type AuditRow,
  CONTENT_MEMBERS,
  type Kinds,
  type MemberKind,
  ROW_KINDS,
  ROW_MEMBERS,
} from './audit-row.ts';
import type { AuditSnapshot } from './verify-trail.ts';
import type { AuditFilter, AuditPeriod } from './filter-values.ts';
import type { InstallationKey } from './signatures.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type JournalRecord, RECORD_KINDS } from './journal-record.ts';

/** `jsonl` can be verified elsewhere; `csv` is for spreadsheets. */
export type ExportFormat = 'jsonl' | 'csv';

/** The format and version that the first line of an export names. */
const EXPORT_FORM = 'tankeeper audit 1';
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
 * Writes a trail as text. JSON lines: a head with the public keys of the installation, the journal with the public keys
 * of the writers, the rows, and an end with their number.
 * @returns the number of rows
 */
export function exportTrail(
  snapshot: AuditSnapshot,
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
    keys: keys.map(({ keyId, publicKey }) => ({ keyId, publicKey: publicKey.toString('base64') })),
  };
  const parts = { head, members: ROW_MEMBERS, records: snapshot.records(), rows: snapshot.rows(period) };
  return writeParts(parts, options);
}

/**
 * Writes selected rows as text. They are parts of chains, so nobody can verify them. JSON lines: a head that says so
 * and names the filters, the rows, and an end with their number.
 * @param rows newest first
 * @returns the number of rows
 */
export function exportExtract(
  rows: AsyncIterable<readonly AuditRow[]>,
  {
    filter: { within, ...filter },
    ...options
  }: ExportOptions & { readonly filter: Omit<AuditFilter, 'limit' | 'offset' | 'after'> },
): Promise<number> {
  const head = {
    form: EXTRACT_FORM,
    note: 'selected rows, which cannot be verified as a chain',
    verifiable: false,
    at: options.at.toISOString(),
    filter,
    realms: within ?? null,
  };
  return writeParts({ head, members: CONTENT_MEMBERS, rows }, options);
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

interface ExportParts {
  readonly head: object;
  readonly members: readonly (keyof AuditRow)[];
  readonly records?: AsyncIterable<readonly object[]>;
  readonly rows: AsyncIterable<readonly AuditRow[]>;
}

async function writeParts(
  { head, members, records, rows }: ExportParts,
  { format, write }: ExportOptions,
): Promise<number> {
  // Not before the first rows or records: a fault until then can still be answered in words.
  let ahead = format === 'csv' ? csvLine(members) : jsonLine(head);
  const writeLines = async (lines: readonly string[]): Promise<void> => {
    await write(`${ahead}${lines.join('')}`);
    ahead = '';
  };
  if (format === 'jsonl' && records !== undefined) {
    for await (const some of records) {
      await writeLines(some.map((record) => jsonLine({ record: inBase64(record) })));
    }
  }
  let count = 0;
  for await (const some of rows) {
    count += some.length;
    await writeLines(
      some.map((row) => {
        const cells = members.map((name) => [name, row[name]] as const);
        return format === 'csv'
          ? csvLine(cells.map(([, value]) => String(base64Of(value))))
          : jsonLine({ row: inBase64(Object.fromEntries(cells)) });
      }),
    );
  }
  await writeLines(format === 'csv' ? [] : [jsonLine({ end: { rows: count } })]);
  return count;
}

function inBase64(record: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, base64Of(value)]));
}

function base64Of(value: unknown): unknown {
  return Buffer.isBuffer(value) ? value.toString('base64') : value;
}

function jsonLine(value: unknown): string {
  // The escaped text is the same JSON value, and harmless on a terminal.
  return `${safeText(JSON.stringify(value))}\n`;
}

const AT_ONCE = 1_000;

/** An export while it is read: its keys first, then its journal and rows. */
interface ExportedTrail {
  readonly snapshot: AuditSnapshot;
  /** The keys that the file names. They are as trustworthy as the transport of the file. */
  readonly keys: readonly InstallationKey[];
  /** True if it holds all rows, false if only those of a period. */
  readonly isWhole: boolean;
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
  return {
    snapshot: exportedSnapshot(lines),
    keys,
    isWhole: head.since === null && head.until === null,
  };
}

function exportedSnapshot(lines: AsyncIterator<string>): AuditSnapshot {
  let ahead: ExportLine | undefined;
  const readLines = async function* <T>(name: string, kinds: Kinds<T>): AsyncGenerator<readonly T[]> {
    let some: T[] = [];
    for (;;) {
      ahead ??= await nextLine(lines);
      const one = ahead?.[name];
      if (one === undefined) {
        break;
      }
      some.push(readLine(kinds, one as ExportLine));
      ahead = undefined;
      if (some.length === AT_ONCE) {
        yield some;
        some = [];
      }
    }
    yield some;
  };
  return {
    records: () => readLines<JournalRecord>('record', RECORD_KINDS),
    rows: async function* () {
      let rows = 0;
      for await (const some of readLines<AuditRow>('row', ROW_KINDS)) {
        rows += some.length;
        yield some;
      }
      if ((ahead?.end as ExportLine | undefined)?.rows !== rows) {
        throw malformed('The export ends too early, or lines are out of order');
      }
    },
  };
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

function readLine<Kept>(kinds: Kinds<Kept>, line: ExportLine): Kept {
  const read = Object.entries<MemberKind>(kinds).map(([name, kind]) => [
    name,
    kind === 'number' ? numberOf(line, name) : kind === 'bytes' ? bytesOf(line, name) : textOf(line, name),
  ]);
  return Object.fromEntries(read) as Kept;
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
