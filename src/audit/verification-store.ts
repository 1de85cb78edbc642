import type { Knex } from 'knex';

import type { Act } from '../policy/caller.ts';
import type { Database } from '../database/database.ts';
import type { VerificationEnd, VerificationRecord } from './verification.ts';

const MAX_KEPT_VERIFICATIONS = 10;
/** Without a sign of life for so long, its server is gone. */
const IS_SILENT = "state = 'running' AND advanced_at < clock_timestamp() - interval '1 minute'";

/** Verifications, of which one at most is running. PostgreSQL's clock decides on the silence of a server. */
export class VerificationStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /**
   * Stores a new one with its audit row, unless one is running.
   * @returns the new one, or the running one
   */
  begin(
    draft: Pick<VerificationRecord, 'begunBy' | 'expectedCheckpoint' | 'begunAt'>,
    act: Act,
  ): Promise<{ readonly record: VerificationRecord; readonly isNew: boolean }> {
    return this.#database.transact(async ({ sql, audit }) => {
      await sql.raw(
        `UPDATE audit_verifications SET state = 'interrupted', ended_at = advanced_at WHERE ${IS_SILENT}`,
      );
      const begun: unknown[] = await sql('audit_verifications')
        .insert({ begun_by: draft.begunBy, begun_at: draft.begunAt, checkpoint: draft.expectedCheckpoint })
        .onConflict()
        .ignore()
        .returning('id');
      const isNew = begun.length > 0;
      if (isNew) {
        await audit.write(act, 'audit', 'begun');
        await sql.raw(
          'DELETE FROM audit_verifications WHERE id < (SELECT max(id) FROM audit_verifications) - ?',
          [MAX_KEPT_VERIFICATIONS - 1],
        );
      }
      const record = await newestIn(sql);
      if (record === undefined) {
        throw new Error('the verification that was begun is not there');
      }
      return { record, isNew };
    });
  }

  /**
   * Stores the progress, which is due every few seconds: a verification without any for a minute counts as interrupted.
   * @returns false if it no longer runs
   */
  async advance(
    id: string,
    { rows, totalRows, findings }: Pick<VerificationRecord, 'rows' | 'totalRows' | 'findings'>,
  ): Promise<boolean> {
    const { knex } = this.#database;
    const advanced = await knex('audit_verifications')
      .where({ id, state: 'running' })
      .update({
        advanced_at: knex.raw('clock_timestamp()'),
        rows_checked: rows,
        rows_in_all: totalRows,
        findings,
      });
    return advanced === 1;
  }

  /** Stores the end, with an audit row if there is an act. Has no effect if it no longer runs. */
  async end(
    id: string,
    { state, rows, findings, reason, ...end }: VerificationEnd,
    at: Date,
    audited?: { readonly act: Act; readonly outcome: string },
  ): Promise<void> {
    await this.#database.transact(async ({ sql, audit }) => {
      const ended = await sql('audit_verifications')
        .where({ id, state: 'running' })
        .update({
          state,
          records: end.checkpoints,
          newest: end.newestCheckpoint,
          findings,
          reason,
          ended_at: at,
          rows_checked: rows,
          rows_in_all: sql.raw('greatest(rows_in_all, ?)', [rows]),
          listed: JSON.stringify(end.listedFindings),
        });
      if (ended === 1 && audited !== undefined) {
        await audit.write(audited.act, 'audit', audited.outcome);
      }
    });
  }

  newest(): Promise<VerificationRecord | undefined> {
    return newestIn(this.#database.knex);
  }
}

async function newestIn(sql: Knex): Promise<VerificationRecord | undefined> {
  const { rows } = await sql.raw<{ rows: VerificationRecord[] }>(
    `SELECT id::text, CASE WHEN silent THEN 'interrupted' ELSE state END AS state, begun_at AS "begunAt",
       begun_by AS "begunBy", checkpoint AS "expectedCheckpoint", CASE WHEN silent THEN advanced_at ELSE ended_at END AS "endedAt",
       rows_checked::float8 AS rows, greatest(rows_checked, rows_in_all)::float8 AS "totalRows",
       records::float8 AS checkpoints, newest AS "newestCheckpoint", findings::float8,
       listed::json AS "listedFindings", reason
     FROM audit_verifications CROSS JOIN LATERAL (SELECT ${IS_SILENT} AS silent) AS sign
     ORDER BY audit_verifications.id DESC LIMIT 1`,
  );
  return rows[0];
}
