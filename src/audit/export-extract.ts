import { type AuditRow, CONTENT_MEMBERS } from './audit-row.ts';
import { csvLine, type ExportFormat, jsonLine } from './export-trail.ts';
import type { AuditFilter } from './filter-values.ts';

/** The format and version that the first line of an extract names. */
export const EXTRACT_FORM = 'tankeeper audit extract 1';

/** Options of an extract. */
export interface ExtractOptions {
  readonly at: Date;
  readonly format: ExportFormat;
  /** Selects the rows; written to the head. */
  readonly filter: Omit<AuditFilter, 'limit' | 'offset' | 'after'>;
  /** The rows of each step, newest first, perhaps none; at least one step. */
  readonly rows: AsyncIterable<readonly AuditRow[]>;
  readonly write: (text: string) => Promise<void>;
}

/**
 * Writes selected rows as text. They are parts of chains, so nobody can verify them. JSON lines: a head that says so
 * and names the filters, the rows, and an end with their number.
 * @returns the number of rows
 */
export async function exportExtract({ at, format, filter, rows, write }: ExtractOptions): Promise<number> {
  const lineOf = (row: AuditRow): string =>
    format === 'csv' ? csvLine(CONTENT_MEMBERS.map((name) => row[name])) : jsonLine({ row: columnsOf(row) });
  let head = format === 'csv' ? csvLine(CONTENT_MEMBERS) : headLine(at, filter);
  let count = 0;
  for await (const some of rows) {
    // Not before the first step: a fault until then can still be answered in words.
    await write(`${head}${some.map(lineOf).join('')}`);
    head = '';
    count += some.length;
  }
  if (format === 'jsonl') {
    await write(jsonLine({ end: { rows: count } }));
  }
  return count;
}

function headLine(at: Date, { within, ...filter }: ExtractOptions['filter']): string {
  return jsonLine({
    form: EXTRACT_FORM,
    note: 'selected rows, which cannot be verified as a chain',
    verifiable: false,
    at: at.toISOString(),
    filter,
    realms: within ?? null,
  });
}

function columnsOf(row: AuditRow): Record<string, string> {
  return Object.fromEntries(CONTENT_MEMBERS.map((name) => [name, row[name]]));
}
