import { setTimeout as sleep } from 'node:timers/promises';

import type { Database } from '../../../src/database/database.ts';
import { PATIENCE_MS } from '../patience.ts';

/** Resolves when this many statements in the database wait for a lock. @throws after a long time */
export async function untilWaiting({ knex }: Database, wanted = 1): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { rows } = await knex.raw<{ rows: { waiting: string }[] }>(
      `SELECT count(*) AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend'
         -- A statement that extends a table waits for no transaction.
         AND wait_event_type = 'Lock' AND wait_event <> 'extend'`,
    );
    if (Number(rows[0]?.waiting) >= wanted) {
      return;
    }
    if (performance.now() > deadline) {
      throw new Error(`Not ${wanted} but ${rows[0]?.waiting ?? 'nobody'} waited for a lock`);
    }
    await sleep(5);
  }
}
