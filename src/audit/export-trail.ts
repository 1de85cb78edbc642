import { safeText } from '../kernel/terminal-text.ts';
import type { AuditRow } from './audit-row.ts';
import type { JournalRecord } from './journal-record.ts';
import type { AuditPeriod, AuditSnapshot, InstallationKey } from './ports.ts';

/** `jsonl` can be verified at another place; `csv` is for spreadsheets. */
export type ExportFormat = 'jsonl' | 'csv';

/** What the first line of an export is. */
export const EXPORT_FORM = 'tankeeper audit 1';

/** How to hand out a trail. */
export interface ExportOptions {
  readonly keys: readonly InstallationKey[];
  readonly at: Date;
  readonly format: ExportFormat;
  readonly period: AuditPeriod;
  readonly write: (text: string) => Promise<void>;
}

const CSV_COLUMNS: readonly (keyof AuditRow)[] = [
  ...(['id', 'at', 'actor', 'action', 'subject', 'realm', 'outcome', 'client', 'requestId'] as const),
  ...(['writer', 'lane', 'seq', 'prevHash', 'hash', 'signature'] as const),
];

/**
 * Writes a trail as text. JSON lines: a head with the public keys of the installation, the journal, which has those of the
 * writers, the rows, and an end that says how many there are. @returns how many rows
 */
export async function exportTrail(snapshot: AuditSnapshot, options: ExportOptions): Promise<number> {
  const { format, period, write } = options;
  let rows = 0;
  if (format === 'csv') {
    await write(csvLine(CSV_COLUMNS));
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

/** Bytes as Base64. */
function toJson(record: AuditRow | JournalRecord): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]: [string, unknown]) => [
      key,
      Buffer.isBuffer(value) ? value.toString('base64') : value,
    ]),
  );
}

function jsonLine(value: unknown): string {
  // Whoever reads JSON reads the same, and whoever sends it to a terminal comes to no harm.
  return `${safeText(JSON.stringify(value))}\n`;
}

function csvRow(row: AuditRow): string {
  return csvLine(
    CSV_COLUMNS.map((column) => {
      const value = row[column];
      return Buffer.isBuffer(value) ? value.toString('base64') : String(value);
    }),
  );
}

/**
 * RFC 4180. What a spreadsheet would take for a formula gets an apostrophe in front, also behind spaces and in the wide
 * letters of East Asia; what it could take for the end of a cell stands in quotes; control characters are escaped.
 */
function csvLine(values: readonly string[]): string {
  const cells = values.map((value) => {
    const text = safeText(value);
    const safe = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/u.test(text) ? `'${text}` : text;
    return /[",;|]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${cells.join(',')}\r\n`;
}
