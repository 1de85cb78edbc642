import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startServerProcess } from '../support/server-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-stop-'));
  database = await createTestDatabase({ schema: 'empty' });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

/** A database that hangs ends no wait for a lock by itself; and nothing but the request of the test is to wait for one. */
function environment(): Record<string, string> {
  return {
    ...{ DATABASE_URL: database.url, DATA_DIR: folder },
    ...{ DATABASE_LOCK_TIMEOUT: '60S', HOUSEKEEPING_INTERVAL: 'off' },
  };
}

describe('SIGTERM', () => {
  it('lets a request at work finish, and takes no new one', async () => {
    const server = await startServerProcess(environment());
    const { answered, stopped } = await database.database.transact(async (transaction) => {
      await transaction.raw('LOCK TABLE challenges IN ACCESS EXCLUSIVE MODE');
      const answering = fetch(`${server.baseUrl}/ocra/check_t?transactionid=1&pass=1`);
      await waitForLock();
      const stopping = server.stop();
      await expect(untilRefused(`${server.baseUrl}/healthz`)).resolves.toBe(true);
      return { answered: answering, stopped: stopping };
    });
    expect((await answered).status).toBe(200);
    expect(await stopped).toMatchObject({ code: 0, output: expect.stringContaining('"message":"Stopped"') });
  }, 30_000);

  it('does not wait longer than ten seconds for a database that hangs', async () => {
    const server = await startServerProcess(environment());
    const [end] = await database.database.transact(async (transaction) => {
      await transaction.raw('LOCK TABLE challenges IN ACCESS EXCLUSIVE MODE');
      const answering = fetch(`${server.baseUrl}/ocra/check_t?transactionid=1&pass=1`);
      await waitForLock();
      return Promise.all([server.stop(), expect(answering).rejects.toThrow()]);
    });
    expect(end).toMatchObject({ code: 0, output: expect.stringContaining('some requests were cut off') });
  }, 60_000);
});

/** Until a request hangs in the database. */
async function waitForLock(): Promise<void> {
  for (;;) {
    const { rows } = await database.database.knex.raw<{ rows: unknown[] }>(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    if (rows.length > 0) {
      return;
    }
  }
}

async function untilRefused(url: string): Promise<boolean> {
  for (;;) {
    try {
      await fetch(url, { headers: { Connection: 'close' } });
    } catch {
      return true;
    }
  }
}
