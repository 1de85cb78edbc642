import { safeText } from '../kernel/terminal-text.ts';
import { type AuditRow, ROW_MEMBERS } from './audit-row.ts';
import type { JournalRecord } from './journal-record.ts';
import type { AuditSnapshot } from './audit-snapshot.ts';
import type { AuditPeriod } from './filter-values.ts';
import type { InstallationKey } from './signing-key.ts';

/** `jsonl` can be verified elsewhere; `csv` is for spreadsheets. */
export type ExportFormat = 'jsonl' | 'csv';

/** The format and version that the first line of an export names. */
export const EXPORT_FORM = 'tankeeper audit 1';

/** Options of an export. */
export interface ExportOptions {
  readonly keys: readonly InstallationKey[];
  readonly at: Date;
  readonly format: ExportFormat;
  readonly period: AuditPeriod;
  readonly write: (text: string) => Promise<void>;
}

/**
 * Writes a trail as text. JSON lines: a head with the public keys of the installation, the journal with the public keys
 * of the writers, the rows, and an end with their number.
 * @returns the number of rows
 */
export async function exportTrail(snapshot: AuditSnapshot, options: ExportOptions): Promise<number> {
  const { format, period, write } = options;
  let rows = 0;
  if (format === 'csv') {
    await write(csvLine(ROW_MEMBERS));
  } else {
    await write(headLine(options));
    for await (const records of snapshot.records()) {
      await write(records.map((record) => jsonLine({ record: toJson(record) })).join(''));
    }
  }
  const lineOf = format === 'csv' ? csvRow : (row: AuditRow) => jsonLine({ row: toJson(row) });
  for await (const some of snapshot.rows(period)) {
    rows += some.length;
    await write(some.map(lineOf).join(''));
  }
  if (format === 'jsonl') {
    await write(jsonLine({ end: { rows } }));
  }
  return rows;
}

function headLine({ keys, at, period: { since, until } }: ExportOptions): string {
  return jsonLine({
    form: EXPORT_FORM,
    at: at.toISOString(),
    since: since?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
    keys: keys.map(({ keyId, publicKey }) => ({ keyId, publicKey: publicKey.toString('base64') })),
  });
}

/** Encodes bytes as Base64. */
function toJson(record: AuditRow | JournalRecord): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]: [string, unknown]) => [
      key,
      Buffer.isBuffer(value) ? value.toString('base64') : value,
    ]),
  );
}

/** @returns a line of JSON lines */
export function jsonLine(value: unknown): string {
  // The escaped text is the same JSON value, and harmless on a terminal.
  return `${safeText(JSON.stringify(value))}\n`;
}

function csvRow(row: AuditRow): string {
  return csvLine(
    ROW_MEMBERS.map((column) => {
      const value = row[column];
      return Buffer.isBuffer(value) ? value.toString('base64') : String(value);
    }),
  );
}

/**
 * A line of RFC 4180. A possible formula gets an apostrophe in front, also after spaces and with full-width letters; a
 * cell with a separator is quoted; control characters are escaped.
 */
export function csvLine(values: readonly string[]): string {
  const cells = values.map((value) => {
    const text = safeText(value);
    const safe = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/u.test(text) ? `'${text}` : text;
    return /[",;|]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${cells.join(',')}\r\n`;
}
