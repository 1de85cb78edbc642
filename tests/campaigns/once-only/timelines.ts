import type { HistoryRecord } from './operations.ts';
import type { Ask } from './stored-facts.ts';

/** The life of a database that began empty, or as a copy of the one before. Moments are those of the history. */
export interface Timeline {
  /** What was answered by then is in the copy; of what was answered later, some may be. */
  readonly copied: number;
  /** The one before no longer ran. */
  readonly begun: number;
  /** It no longer ran; `Infinity` while it does. */
  readonly ended: number;
}

/** @returns the requests in the audit trail of a database */
export async function auditedIn(ask: Ask): Promise<ReadonlySet<string>> {
  const rows = await ask<{ id: string }>(
    `SELECT DISTINCT request_id AS id FROM audit WHERE request_id <> ''`,
    [],
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * The history of one timeline: what was done on it, and what it has of the one before. What was answered there and is
 * not in its copy has never happened on this one.
 * @param before the history of the timeline that it is a copy of
 */
export function historyOf(
  { copied, begun, ended }: Timeline,
  records: readonly HistoryRecord[],
  before: readonly HistoryRecord[],
  audited: ReadonlySet<string>,
): readonly HistoryRecord[] {
  const inherited = new Set(before.filter(({ completed = Infinity }) => completed <= copied));
  return records.filter(
    (record) =>
      audited.has(record.request ?? '') ||
      inherited.has(record) ||
      (record.invoked >= begun && (record.completed ?? Infinity) <= ended),
  );
}
