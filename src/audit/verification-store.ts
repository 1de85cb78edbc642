import type { Knex } from 'knex';

import type { AuditFinding } from './finding.ts';
import type {
  VerificationEnd,
  VerificationProgress,
  VerificationRecord,
  VerificationState,
} from './verification-record.ts';
import type { Act } from '../policy/caller.ts';
import type { Database } from '../database/database.ts';

/** A verification as the database returns it. bigint comes as text. */
interface VerificationRow {
  readonly id: string;
  readonly state: VerificationState;
  readonly begun_at: Date;
  readonly begun_by: string;
  readonly checkpoint: string;
  readonly ended_at: Date | null;
  readonly advanced_at: Date;
  readonly rows_checked: string;
  readonly rows_in_all: string;
  readonly records: string;
  readonly newest: string;
  readonly findings: string;
  readonly listed: string;
  readonly reason: string;
  readonly is_silent: boolean;
}

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
    { begunBy, begunAt, checkpoint }: Pick<VerificationRecord, 'begunBy' | 'checkpoint' | 'begunAt'>,
    act: Act,
  ): Promise<{ readonly record: VerificationRecord; readonly isNew: boolean }> {
    return this.#database.transact(async ({ sql, audit }) => {
      await sql.raw(
        `UPDATE audit_verifications SET state = 'interrupted', ended_at = advanced_at WHERE ${IS_SILENT}`,
      );
      const begun: unknown[] = await sql('audit_verifications')
        .insert({ begun_by: begunBy, begun_at: begunAt, checkpoint })
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
  async advance(id: string, { rows, of, findings }: VerificationProgress): Promise<boolean> {
    const { knex } = this.#database;
    const advanced = await knex('audit_verifications')
      .where({ id, state: 'running' })
      .update({
        advanced_at: knex.raw('clock_timestamp()'),
        rows_checked: rows,
        rows_in_all: of,
        findings,
      });
    return advanced === 1;
  }

  /** Stores the end, with an audit row if there is an act. Has no effect if it no longer runs. */
  async end(
    id: string,
    { state, rows, records, newest, findings, listed, reason }: VerificationEnd,
    at: Date,
    audited?: { readonly act: Act; readonly outcome: string },
  ): Promise<void> {
    await this.#database.transact(async ({ sql, audit }) => {
      const ended = await sql('audit_verifications')
        .where({ id, state: 'running' })
        .update({
          state,
          records,
          newest,
          findings,
          reason,
          ended_at: at,
          rows_checked: rows,
          rows_in_all: sql.raw('greatest(rows_in_all, ?)', [rows]),
          listed: JSON.stringify(listed),
        });
      if (ended === 1 && audited !== undefined) {
        await audit.write(audited.act, 'audit', audited.outcome);
      }
    });
  }

  /** @returns the newest one; undefined: there was none yet */
  newest(): Promise<VerificationRecord | undefined> {
    return newestIn(this.#database.knex);
  }
}

async function newestIn(sql: Knex): Promise<VerificationRecord | undefined> {
  const row = await sql('audit_verifications')
    .select('*', sql.raw(`(${IS_SILENT}) AS is_silent`))
    .orderBy('id', 'desc')
    .first<VerificationRow | undefined>();
  return row && toRecord(row);
}

function toRecord(row: VerificationRow): VerificationRecord {
  return {
    id: row.id,
    state: row.is_silent ? 'interrupted' : row.state,
    begunAt: row.begun_at,
    begunBy: row.begun_by,
    checkpoint: row.checkpoint,
    endedAt: row.is_silent ? row.advanced_at : row.ended_at,
    rows: Number(row.rows_checked),
    of: Number(row.rows_in_all),
    records: Number(row.records),
    newest: row.newest,
    findings: Number(row.findings),
    listed: JSON.parse(row.listed) as AuditFinding[],
    reason: row.reason,
  };
}
