import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { until } from '../../support/values/until.ts';

const CONNECTIONS = 20;
/** Fewer than the server has open: it gets no other one. */
const FEW = 10;
const TRANSACTION = '/ocra/check_t?transactionid=1&pass=1';

let database: TestDatabase;
let server: ServerProcess;
let agent: Agent;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  server = await startServerProcess({ DATABASE_URL: database.url });
  agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS });
});
afterEach(async () => {
  agent.destroy();
  await server.stop();
});
afterAll(() => database.drop());

/** @param most descriptors that the server may have */
function limitDescriptors(most: number): void {
  execFileSync('prlimit', ['--pid', String(server.process.pid), `--nofile=${most}:`]);
}

/** @returns the status of the answer, over a connection of the agent */
async function status(path: string): Promise<number | undefined> {
  const [answer] = (await once(get(`${server.baseUrl}${path}`, { agent }), 'response')) as [IncomingMessage];
  await answer.resume().toArray();
  return answer.statusCode;
}

function statuses(path: string): Promise<readonly (number | undefined)[]> {
  return Promise.all(Array.from({ length: CONNECTIONS }, () => status(path)));
}

describe('a server that has no more descriptors', () => {
  it('answers 503 where it needs a connection to its database, and goes on when it has some again', async () => {
    expect(new Set(await statuses(TRANSACTION))).toEqual(new Set([200]));
    limitDescriptors(FEW);
    await database.database.knex.raw(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await until(async () => (await status('/readyz')) === 503);
    expect(new Set(await statuses(TRANSACTION))).toEqual(new Set([503]));
    limitDescriptors(1_024);
    await until(async () => (await status('/readyz')) === 200);
    expect(new Set(await statuses(TRANSACTION))).toEqual(new Set([200]));
    expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
  });
});
