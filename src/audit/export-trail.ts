import { safeText } from '../kernel/text.ts';
import { type AuditRow, CONTENT_MEMBERS, ROW_MEMBERS } from './audit-row.ts';
import type { AuditSnapshot } from './audit-snapshot.ts';
import type { AuditFilter, AuditPeriod } from './filter-values.ts';
import type { InstallationKey } from './signing-key.ts';

/** `jsonl` can be verified elsewhere; `csv` is for spreadsheets. */
export type ExportFormat = 'jsonl' | 'csv';

/** The format and version that the first line of an export names. */
export const EXPORT_FORM = 'tankeeper audit 1';
/** The same of an extract. */
export const EXTRACT_FORM = 'tankeeper audit extract 1';

/** Where and how an export is written. */
export interface ExportOptions {
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

/** Bytes as Base64. */
function base64Of(value: unknown): unknown {
  return Buffer.isBuffer(value) ? value.toString('base64') : value;
}

/** @returns a line of JSON lines */
function jsonLine(value: unknown): string {
  // The escaped text is the same JSON value, and harmless on a terminal.
  return `${safeText(JSON.stringify(value))}\n`;
}

/**
 * A line of RFC 4180. A possible formula gets an apostrophe in front, also after spaces and with full-width letters; a
 * cell with a separator is quoted; control characters are escaped.
 */
function csvLine(values: readonly string[]): string {
  const cells = values.map((value) => {
    const text = safeText(value);
    const safe = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/u.test(text) ? `'${text}` : text;
    return /[",;|]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${cells.join(',')}\r\n`;
}
