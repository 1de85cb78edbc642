import { deferred, until } from '../values/until.ts';
import { SqlTap } from './sql-tap.ts';
import type { Database } from '../../../src/database/database.ts';

/** Statements that write a token, or lock it for writing: work that is held there has already read its data. */
export const WRITING_A_TOKEN = /^update "tokens" set|from "tokens" .*for (?:no key )?update$/s;

/**
 * Begins `work`, holds up its first statement that `pattern` matches, and releases it after `others`.
 * @returns the result of `work`
 * @throws if it ends without such a statement
 */
export async function whileHeld<T>(
  pattern: RegExp,
  work: () => PromiseLike<T>,
  others: () => Promise<unknown>,
): Promise<T> {
  const reached = deferred<string>();
  const released = deferred<undefined>();
  let isHeld = false;
  const tap = new SqlTap({
    hold: (text) => {
      if (isHeld || !pattern.test(text)) {
        return undefined;
      }
      isHeld = true;
      reached.resolve('held');
      return released.promise;
    },
  });
  try {
    const working = Promise.resolve(work());
    const first = await Promise.race([reached.promise, working.then(() => 'ended')]);
    if (first === 'ended') {
      throw new Error(`It came to its end without ${String(pattern)}`);
    }
    await others();
    released.resolve(undefined);
    return await working;
  } finally {
    released.resolve(undefined);
    tap.close();
  }
}

/** Resolves when this many statements in the database wait for a lock. @throws after a long time */
export async function untilWaiting({ knex }: Database, wanted = 1): Promise<void> {
  let waiting = 0;
  const read = async (): Promise<boolean> => {
    const { rows } = await knex.raw<{ rows: { waiting: string }[] }>(
      `SELECT count(*) AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend'
         -- A statement that extends a table waits for no transaction.
         AND wait_event_type = 'Lock' AND wait_event <> 'extend'`,
    );
    waiting = Number(rows[0]?.waiting);
    return waiting >= wanted;
  };
  await until(read, { pollMs: 5, describe: () => `not ${wanted} but ${waiting} waited for a lock` });
}
