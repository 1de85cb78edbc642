import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HalfRequest } from '../../support/servers/half-request.ts';
import {
  killProcessesOf,
  processesOf,
  untilNobodyIsLeft,
  untilStopped,
} from '../../support/servers/processes-of.ts';
import { printedPassword, ServerClient } from '../../support/servers/server-client.ts';
import {
  type ProcessEnd,
  runTankeeper,
  type ServerProcess,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { workersOf } from '../../support/servers/worker-processes.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/values/until.ts';

const REQUESTS_A_SECOND = 50;
/** A client whose request takes longer waits for an answer that never comes. */
const ANSWER_MS = 60_000;

let folder: string;
let database: TestDatabase;
let environment: Record<string, string>;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-workers-'));
  // Under root the embedded PostgreSQL runs as another user, who has to get through.
  chmodSync(folder, 0o711);
  database = await createTestDatabase({ schema: 'empty' });
  environment = { DATABASE_URL: database.url, DATA_DIR: folder, WORKERS: '2' };
  server = await startServerProcess({
    ...environment,
    METRICS_PORT: '0',
    TRUST_PROXY: 'loopback',
    DATABASE_POOL_SIZE: '7',
    LIMIT_CLIENT_FAILURES: '20',
    LIMIT_CLIENT_REQUESTS: String(REQUESTS_A_SECOND),
  });
});

afterAll(async () => {
  await server.stop();
  killProcessesOf(folder);
  rmSync(folder, { recursive: true });
  await database.drop();
});

/** Sends a request over a connection of its own, which the primary hands to the next worker. */
async function post(path: string, parameters: Record<string, string>, client = ''): Promise<Response> {
  const response = await fetch(`${server.baseUrl}${path}`, {
    method: 'POST',
    headers: { Connection: 'close', ...(client !== '' && { 'X-Forwarded-For': client }) },
    body: new URLSearchParams(parameters),
  });
  return response;
}

async function metrics(): Promise<string> {
  const port = /"message":"Listening for metrics".*"port":(\d+)/.exec(server.output())?.[1] ?? '';
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

/** @returns the sum of all requests to a path */
async function counted(path: string, text = metrics()): Promise<number> {
  const line = new RegExp(`^tankeeper_http_requests_total\\{endpoint="${path}",[^}]*\\} (\\d+)$`, 'gm');
  return [...(await text).matchAll(line)].reduce((sum, [, value]) => sum + Number(value), 0);
}

function times<Value>(number: number, work: (index: number) => Promise<Value>): Promise<Value[]> {
  return Promise.all(Array.from({ length: number }, (_, index) => work(index)));
}

describe('two workers', () => {
  it('start as one server, answer on one port, and name themselves in the log', async () => {
    await printedPassword(server);
    await times(8, () => post('/ocra/check_t', { transactionid: '1', pass: '1' }));
    const output = server.output();
    expect(output.match(/"message":"Listening"/g)).toHaveLength(1);
    expect(output.match(/shown this once/g)).toHaveLength(1);
    expect(output.match(/A new encryption key was made/g)).toHaveLength(1);
    expect(workersOf(server.process)).toHaveLength(2);
    for (const worker of [1, 2]) {
      await until(() => server.output().includes(`"message":"request","worker":${worker},`));
    }
    expect((await fetch(`${server.baseUrl}/readyz`)).status).toBe(200);
  });

  it('show the metrics of both, on either port', async () => {
    const before = await counted('/ocra/checkstatus');
    await times(20, () => post('/ocra/checkstatus', { transactionid: '1' }));
    expect(await counted('/ocra/checkstatus')).toBe(before + 20);
    const basic = Buffer.from(`admin:${await printedPassword(server)}`).toString('base64');
    const response = await fetch(`${server.baseUrl}/metrics`, {
      headers: { Authorization: `Basic ${basic}` },
    });
    expect(await counted('/ocra/checkstatus', response.text())).toBe(before + 20);
    expect(await metrics()).toMatch(/^tankeeper_workers 2$/m);
  });

  it('accept exactly one of 64 identical right responses', async () => {
    const client = await ServerClient.open(server);
    const { transactionid, tan } = await client.openTransaction('WORKERS1');
    const answers = await times(64, async () => {
      const response = await post('/ocra/check_t', { transactionid, pass: tan });
      return JSON.stringify(((await response.json()) as { result: { value: unknown } }).result.value);
    });
    expect(answers.filter((value) => value === '{"failcount":0,"result":true}')).toHaveLength(1);
    expect(answers.filter((value) => value === '{"failcount":0,"result":false}')).toHaveLength(63);
  });

  it('tell a client of exactly as many failures as the limit says, over both', async () => {
    const statuses = await times(
      80,
      async (index) =>
        (await post('/ocra/check_t', { transactionid: `${index}`, pass: '1' }, '203.0.113.1')).status,
    );
    const failures = statuses.filter((status) => status === 200).length;
    // The limit of requests in a second may refuse some first.
    expect(failures).toBeLessThanOrEqual(20);
    expect(failures).toBeGreaterThan(0);
    expect(statuses.filter((status) => status === 429)).toHaveLength(80 - failures);
  });

  it('answer no more requests of a client in a second than the limit says, together', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    const first = Math.floor(Date.now() / 1000);
    const statuses: { status: number; second: number }[] = [];
    await times(
      400,
      () =>
        new Promise<void>((resolve, reject) => {
          const headers = { 'X-Forwarded-For': '203.0.113.2' };
          get(`${server.baseUrl}/unknown`, { agent, headers }, (response) => {
            statuses.push({
              status: response.statusCode ?? 0,
              second: Math.floor(Date.parse(response.headers.date ?? '') / 1000),
            });
            response.resume().on('end', resolve);
          }).on('error', reject);
        }),
    );
    agent.destroy();
    const admitted = statuses.filter(({ status }) => status === 404).length;
    const seconds = Math.max(...statuses.map(({ second }) => second)) - first + 1;
    expect(admitted).toBeLessThanOrEqual(REQUESTS_A_SECOND * seconds);
    expect(admitted).toBeGreaterThanOrEqual((REQUESTS_A_SECOND * 3) / 4);
    expect(statuses.filter(({ status }) => status === 429)).toHaveLength(400 - admitted);
  });
});

describe('a worker that is killed under load', () => {
  it('breaks its own connections only, is started again, and what it had counted stays', async () => {
    const clients = Array.from({ length: 12 }, () => new LoadClient());
    const before = await counted('/healthz');
    const load = clients.map((client) => client.run(`${server.baseUrl}/healthz`));
    await until(() => clients.every(({ answered }) => answered > 20));
    const reported = await counted('/healthz');
    const [victim = 0, survivor = 0] = workersOf(server.process);
    process.kill(victim, 'SIGKILL');
    await until(() => server.output().includes('"message":"A worker answers again"'));
    const answeredThen = clients.map(({ answered }) => answered);
    const brokenThen = clients.map(({ broken }) => broken);
    await until(() => clients.every(({ answered }, index) => answered > (answeredThen[index] ?? 0) + 20));
    clients.forEach((client) => {
      client.stop();
    });
    await Promise.all(load);
    expect(clients.map(({ late }) => late)).toEqual(clients.map(() => 0));
    // A client that connects again before the primary has seen the end may be handed to the dead worker once more.
    expect(clients.map(({ broken }) => broken)).toEqual(brokenThen);
    expect(clients.some(({ broken }) => broken > 0)).toBe(true);
    expect(clients.some(({ broken }) => broken === 0)).toBe(true);
    expect(reported).toBeGreaterThan(before);
    expect(await counted('/healthz')).toBeGreaterThan(reported);
    expect(await metrics()).toMatch(/^tankeeper_worker_restarts_total 1$/m);
    expect(server.output()).toMatch(
      new RegExp(`"message":"A worker has ended, and is started again".*"signal":"SIGKILL","pid":${victim}`),
    );
    const now = workersOf(server.process);
    expect(now).toHaveLength(2);
    expect(now).toContain(survivor);
    expect(now).not.toContain(victim);
  });
});

describe('a connection on its way to a worker that is killed', () => {
  it('breaks, and its client does not wait without end', async () => {
    const own = await startServerProcess(environment);
    const [victim = 0] = workersOf(own.process);
    // A stopped worker does not take the connection that it is handed.
    process.kill(victim, 'SIGSTOP');
    await untilStopped(victim);
    const requests = [1, 2].map(() =>
      fetch(`${own.baseUrl}/healthz`, {
        headers: { Connection: 'close' },
        signal: AbortSignal.timeout(ANSWER_MS),
      }).then(
        ({ status }) => status,
        (error: unknown) => (error as Error).name,
      ),
    );
    expect(await Promise.race(requests)).toBe(200);
    process.kill(victim, 'SIGKILL');
    expect((await Promise.all(requests)).sort()).toEqual([200, 'TypeError']);
    expect((await own.stop()).code).toBe(0);
  });
});

describe('signals to all processes of a server, as a terminal sends them', () => {
  it('let the requests of all workers finish', async () => {
    const own = await startServerProcess(environment);
    const port = Number(new URL(own.baseUrl).port);
    const requests: HalfRequest[] = [];
    for (let index = 0; index < 6; index += 1) {
      requests.push(await HalfRequest.begin(port));
    }
    workersOf(own.process).forEach((pid) => process.kill(pid, 'SIGINT'));
    const stopped = own.stop();
    await until(() => own.output().includes('"message":"Stopping"'));
    const answers = await Promise.all(requests.map((request) => request.finish()));
    expect(answers.map((answer) => answer.slice(0, 12))).toEqual(answers.map(() => 'HTTP/1.1 200'));
    const { code, output } = await stopped;
    expect(code).toBe(0);
    expect(output).toContain('"message":"Stopped"');
    expect(output).not.toContain('A worker has ended');
  });

  it('cut requests off when they come again, with status 130', async () => {
    const { code, output } = await stopUrgently();
    expect(code).toBe(130);
    expect(output).toContain('"message":"Stopped; some requests were cut off"');
  });

  /** Again where this machine was so busy that the server had stopped waiting by itself. */
  async function stopUrgently(): Promise<ProcessEnd> {
    const own = await startServerProcess(environment);
    const request = await HalfRequest.begin(Number(new URL(own.baseUrl).port));
    const begun = performance.now();
    const stopped = own.stop();
    await until(() => own.output().includes('"message":"Stopping"'));
    await sleep(2_100);
    own.process.kill('SIGINT');
    const isInTime = performance.now() - begun < 6_500;
    expect(await request.answer()).toBe('');
    const end = await stopped;
    return isInTime ? end : stopUrgently();
  }
});

describe('workers on an embedded database', () => {
  it('leave nothing behind when the primary is killed, and the next start finds everything', async () => {
    const dataDir = join(folder, 'embedded');
    mkdirSync(dataDir);
    const own = await startServerProcess({ DATA_DIR: dataDir, WORKERS: '2' });
    const second = await runTankeeper(['serve'], { DATA_DIR: dataDir, WORKERS: '2', PORT: '0' });
    expect(second.output).toContain('is in use by another tankeeper server');
    expect(processesOf(dataDir).length).toBeGreaterThan(3);
    const client = await ServerClient.open(own);
    const transaction = await client.openTransaction('EMBEDDED1');
    own.process.kill('SIGKILL');
    await untilNobodyIsLeft(dataDir);
    const again = await startServerProcess({ DATA_DIR: dataDir, WORKERS: '2' });
    client.turnTo(again);
    expect((await client.check(transaction)).body.result?.value).toEqual({ failcount: 0, result: true });
    expect((await again.stop()).code).toBe(0);
    expect(processesOf(dataDir)).toEqual([]);
  });
});

describe('a start with workers that fails', () => {
  it('for a port that is taken: says so once, as without workers, and leaves nothing behind', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => {
      taken.listen(0, '127.0.0.1', resolve);
    });
    const { port } = taken.address() as AddressInfo;
    const dataDir = join(folder, 'refused');
    mkdirSync(dataDir);
    const { code, output } = await runTankeeper(['serve'], {
      DATA_DIR: dataDir,
      WORKERS: '2',
      PORT: String(port),
    });
    taken.close();
    expect(code).toBe(1);
    const message = `tankeeper: Cannot listen on 127.0.0.1 port ${port}: another program listens there. Stop it, or choose another port (PORT, METRICS_PORT)`;
    expect(output.split('\n').filter((line) => line.startsWith('tankeeper:'))).toEqual([message]);
    expect(output).not.toContain('shown this once');
    expect(output).not.toMatch(/\n\s+at /);
    expect(processesOf(dataDir)).toEqual([]);
  });
});

/** A client with one connection, which it opens again when it breaks. */
class LoadClient {
  answered = 0;
  /** Number of connections that broke. */
  broken = 0;
  /** Number of requests without an answer in time. */
  late = 0;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #isOver = false;

  async run(url: string): Promise<void> {
    while (!this.#isOver) {
      await this.#request(url);
    }
    this.#agent.destroy();
  }

  stop(): void {
    this.#isOver = true;
  }

  #request(url: string): Promise<void> {
    return new Promise((resolve) => {
      const request = get(url, { agent: this.#agent, timeout: ANSWER_MS }, (response) => {
        response.resume().once('end', () => {
          this.answered += 1;
          resolve();
        });
      });
      request.once('timeout', () => {
        this.late += 1;
        request.destroy();
      });
      request.once('error', () => {
        this.broken += 1;
        resolve();
      });
    });
  }
}
