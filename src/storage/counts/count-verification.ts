import type { Knex } from 'knex';

import type { Act } from '../../policy/caller.ts';
import type { CountCheck, CountDrift, CountVerification } from '../../monitoring/ports.ts';
import { DRIFTS, MEND } from './count-recount.ts';
import type { Database } from '../../database/database.ts';
import type { UnitOfWork } from '../../database/unit-of-work.ts';

/** The advisory lock on the tables of folded counts, which the function fold_counts takes, too. "tank", "fold". */
const FOLD_LOCK = [0x74616e6b, 0x666f6c64] as const;
/** The most drifts that are listed one by one. */
const MAX_DRIFTS = 1_000;

interface DriftRow {
  readonly counts: CountDrift['counts'];
  readonly resolver: string | null;
  readonly user_id: string | null;
  readonly realms: readonly string[] | null;
  readonly active: boolean | null;
  readonly assigned: boolean | null;
  /** These three are bigints, as text. */
  readonly kept: string;
  readonly counted: string;
  readonly drifts: string;
}

/**
 * Counts tokens and users one by one, and compares with the counts that the database keeps. Writers continue meanwhile.
 */
export class SqlCountVerification implements CountVerification {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  async verify(): Promise<CountCheck> {
    const verify = async ({ sql }: UnitOfWork): Promise<CountCheck> => {
      await prepare(sql);
      return check(sql);
    };
    return this.#database.transact(verify, { isLong: true });
  }

  async mend(act: Act): Promise<CountCheck> {
    const mend = async ({ sql, audit }: UnitOfWork): Promise<CountCheck> => {
      await prepare(sql);
      // Taken before the lock of the fold, as TRUNCATE of the table of tokens does.
      await sql.raw('LOCK TABLE tokens, users IN ACCESS SHARE MODE');
      await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [...FOLD_LOCK]);
      const found = await check(sql);
      if (found.total > 0) {
        for (const statement of MEND) {
          await sql.raw(statement);
        }
        await audit.write(act, 'counts', `mended, ${found.total} drifted`);
      }
      return found;
    };
    return this.#database.transact(mend, { isLong: true });
  }
}

async function prepare(sql: Knex.Transaction): Promise<void> {
  await sql.raw('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await sql.raw("SET LOCAL work_mem = '64MB'");
}

async function check(sql: Knex.Transaction): Promise<CountCheck> {
  const { rows } = await sql.raw<{ rows: DriftRow[] }>(DRIFTS, [MAX_DRIFTS]);
  return { total: Number(rows[0]?.drifts ?? 0), drifts: rows.map(toDrift) };
}

function toDrift({ user_id, realms, kept, counted, ...row }: DriftRow): CountDrift {
  return {
    counts: row.counts,
    resolver: row.resolver,
    userId: user_id,
    realms: realms ?? [],
    active: row.active,
    assigned: row.assigned,
    kept: Number(kept),
    counted: Number(counted),
  };
}
