import type { Knex } from 'knex';

import type { Act } from '../../policy/caller.ts';
import type { CountCheck, CountDrift, CountVerification } from '../../monitoring/ports.ts';
import { writeAudit } from '../audit/audit-rows.ts';
import { DRIFTS, MEND } from './count-recount.ts';
import type { Database } from '../database/database.ts';

/** Advisory lock on the tables that counts are folded into, which the function fold_counts takes, too. "tank", "fold". */
const FOLD_LOCK = [0x74616e6b, 0x666f6c64] as const;
/** How many drifts are told one by one. */
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

/** Counts tokens and users one by one, beside what the database keeps of them. Writers go on meanwhile. */
export class SqlCountVerification implements CountVerification {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  async verify(): Promise<CountCheck> {
    const verify = async (transaction: Knex.Transaction): Promise<CountCheck> => {
      await prepare(transaction);
      return check(transaction);
    };
    return this.#database.transact(verify, { isLong: true });
  }

  async mend(act: Act): Promise<CountCheck> {
    const mend = async (transaction: Knex.Transaction): Promise<CountCheck> => {
      await prepare(transaction);
      // Before the lock of the fold, as for who empties the table of tokens.
      await transaction.raw('LOCK TABLE tokens, users IN ACCESS SHARE MODE');
      await transaction.raw('SELECT pg_advisory_xact_lock(?, ?)', [...FOLD_LOCK]);
      const found = await check(transaction);
      if (found.total > 0) {
        for (const statement of MEND) {
          await transaction.raw(statement);
        }
        await writeAudit(transaction, act, 'counts', `mended, ${found.total} drifted`);
      }
      return found;
    };
    return this.#database.transact(mend, { isLong: true });
  }
}

async function prepare(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await transaction.raw("SET LOCAL work_mem = '64MB'");
}

async function check(transaction: Knex.Transaction): Promise<CountCheck> {
  const { rows } = await transaction.raw<{ rows: DriftRow[] }>(DRIFTS, [MAX_DRIFTS]);
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
