import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { publishResults } from '../../../bench/result-page.ts';
import { readRepositoryFile } from '../../repository/repository-file.ts';
import { campaignSeed, shortOrLong } from '../../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { startCaddy } from '../../support/servers/caddy.ts';
import { freePort, waitForPort } from '../../support/servers/wait-for-port.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { until } from '../../support/values/until.ts';
import { checkHistory, isAcceptance, reportFindings } from '../once-only/checker.ts';
import { HistoryClient } from '../once-only/client.ts';
import { runLoad } from '../once-only/load.ts';
import { replay, withStoredFacts } from '../once-only/stored-facts.ts';

const REQUESTS = shortOrLong(2_000, 20_000);
const SEED = campaignSeed(29);
const LIMIT_MS = 1_800_000;
const PASSWORD = 'correct horse battery staple';
const HOSTS = ['127.0.0.1', '127.0.0.2'] as const;
const BASIC = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;

/** A proxy before the servers. */
interface Proxy {
  readonly name: string;
  readonly origin: string;
  output(): string;
  stop(): Promise<void>;
}

/** @returns a configuration with these servers */
function withServers(configuration: string, serversPort: number): string {
  return configuration
    .replace('127.0.0.1:5001', `${HOSTS[0]}:${serversPort}`)
    .replace('127.0.0.1:5002', `${HOSTS[1]}:${serversPort}`);
}

/** @returns the block of docs/guides/operating.md for Caddy */
function caddyBlock(): string {
  return /```caddy\n([^]*?)```/.exec(readRepositoryFile('docs/guides/operating.md'))?.[1] ?? '';
}

/** HAProxy with the configuration of docs/examples, but for TLS. */
async function startHaproxy(program: string, folder: string, serversPort: number): Promise<Proxy> {
  const port = await freePort();
  const ours = withServers(readRepositoryFile('docs/examples/haproxy.cfg'), serversPort).replace(
    /bind :443 .*/,
    `bind 127.0.0.1:${port}`,
  );
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, `global\n  log stdout format raw daemon notice\n${ours}`);
  const child = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => (output += piece.toString('utf8')));
  }
  await waitForPort(port, child);
  return {
    name: 'HAProxy',
    origin: `http://127.0.0.1:${port}`,
    output: () => output,
    stop: async () => {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** A place of a server, in which one follows another. */
interface Place {
  readonly environment: Readonly<Record<string, string>>;
  server: ServerProcess;
}

/** A question of a monitoring system, which is none of a history. */
interface Asked {
  readonly origin: string;
  readonly status: number | string;
  readonly milliseconds: number;
}

const [haproxyProgram, caddyProgram] = [findSystemProgram('haproxy'), findSystemProgram('caddy')];

describeWithProgram(
  'two servers behind HAProxy and Caddy, each restarted in turn',
  caddyProgram === undefined ? undefined : haproxyProgram,
  'haproxy and caddy',
  (haproxy) => {
    let folder: string;
    let database: TestDatabase;
    let places: readonly Place[];
    let proxies: readonly Proxy[];
    let client: HistoryClient;
    const asked: Asked[] = [];
    const restarts = { count: 0 };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tankeeper-rolling-'));
      database = await createTestDatabase();
      await writeFile(join(folder, 'password'), PASSWORD, { mode: 0o600 });
      const port = await freePort();
      const environments = HOSTS.map((HOST) => ({
        DATABASE_URL: database.url,
        DATA_DIR: join(folder, 'server'),
        ADMIN_PASSWORD_FILE: join(folder, 'password'),
        TRUST_PROXY: 'loopback',
        DRAIN_TIME: '3S',
        PORT: String(port),
        HOST,
      }));
      const started: Place[] = [];
      for (const environment of environments) {
        started.push({ environment, server: await startServerProcess(environment) });
      }
      places = started;
      const caddy = await startCaddy(caddyProgram ?? '', `http://127.0.0.1:${port}`, {
        head: withServers(caddyBlock(), port),
        isPlain: true,
      });
      proxies = [await startHaproxy(haproxy, folder, port), { name: 'Caddy', ...caddy }];
      client = await HistoryClient.open(proxies[0]?.origin ?? '', PASSWORD);
    });

    afterAll(async () => {
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      const ends = await Promise.all(places.map(({ server }) => server.stop()));
      await database.drop();
      await rm(folder, { recursive: true });
      expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    });

    async function monitor({ origin }: Proxy, signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const begun = performance.now();
        const status = await fetch(`${origin}/monitoring/config`, { headers: { Authorization: BASIC } })
          .then(async (response) => {
            await response.arrayBuffer();
            return response.status;
          })
          .catch(String);
        asked.push({ origin, status, milliseconds: performance.now() - begun });
      }
    }

    /** Stops the server by SIGTERM, and starts it again, until both proxies use it. */
    async function restart(place: Place): Promise<void> {
      const before = ups();
      const { code } = await place.server.stop();
      expect(code).toBe(0);
      place.server = await startServerProcess(place.environment);
      restarts.count += 1;
      await until(() => ups().every((count, index) => count > (before[index] ?? 0)));
    }

    /** @returns how often each proxy has taken a server into use again */
    function ups(): readonly number[] {
      return proxies.map(
        (proxy) => proxy.output().split(/Server tankeeper\/\w+ is UP|"host is up"/).length - 1,
      );
    }

    /** Restarts each server in turn under load, until there is enough of it. */
    async function roll(prefix: string, isEnough: () => boolean): Promise<void> {
      const ending = new AbortController();
      const load = { client, servers: () => origins(), prefix, portals: 8, seed: SEED, pause: 5 };
      const loading = Promise.all([
        runLoad(load, ending.signal),
        ...proxies.map((proxy) => monitor(proxy, ending.signal)),
      ]);
      const rolling = async (): Promise<void> => {
        do {
          for (const place of places) {
            await restart(place);
          }
        } while (!isEnough());
      };
      await Promise.race([rolling(), loading]).finally(() => {
        ending.abort();
      });
      await loading;
    }

    const origins = (): readonly string[] => proxies.map(({ origin }) => origin);

    /** @returns the requests of each proxy so far */
    function sent() {
      return proxies.map(({ name, origin }) => ({
        name,
        requests: [
          ...client.records
            .filter(({ server }) => server === origin)
            .map(({ outcome, invoked, completed = Infinity, strange, why }) => ({
              isAnswered: outcome !== 'unknown',
              what: strange ?? why ?? outcome,
              milliseconds: completed - invoked,
            })),
          ...asked
            .filter((one) => one.origin === origin)
            .map(({ status, milliseconds }) => ({
              isAnswered: status === 200,
              what: status,
              milliseconds,
            })),
        ],
      }));
    }

    const total = (): number => client.records.length + asked.length;

    it(
      `answer each of ${REQUESTS} requests, and accept no response twice (seed ${SEED})`,
      async () => {
        await roll('ROLL', () => total() >= REQUESTS);
        const all = sent();
        const replayed = await replay(client, origins());
        const { records, findings } = await withStoredFacts(client.records, (sql, values) =>
          database.rows(sql, values),
        );
        const lost = [...findings, ...checkHistory(records)];
        const acceptances = records.filter(isAcceptance).length;
        await publishResults({
          name: 'rolling-restart',
          title: 'Rolling restart',
          command: 'CAMPAIGN=long npm run test:campaigns -- tests/campaigns/servers/rolling-restart.test.ts',
          measures:
            'Two servers behind HAProxy and Caddy under load, each restarted in turn: [Several servers](../guides/operating.md#several-servers).',
          sections: [
            {
              head: ['proxy', 'requests', 'without an answer', 'longest, in seconds'],
              rows: all.map(({ name, requests }) => [
                name,
                requests.length,
                requests.filter(({ isAnswered }) => !isAnswered).length,
                (Math.max(...requests.map(({ milliseconds }) => milliseconds)) / 1_000).toFixed(2),
              ]),
            },
            {
              head: ['measured', 'result'],
              rows: [
                ['restarts', restarts.count],
                ['acceptances', acceptances],
                ['right responses sent again, twice each', replayed],
                ['findings', lost.length],
              ],
            },
          ],
        });
        const failed = all.map(({ name, requests }) => ({
          name,
          failed: requests.filter(({ isAnswered }) => !isAnswered),
        }));
        expect(failed).toEqual(proxies.map(({ name }) => ({ name, failed: [] })));
        expect(reportFindings(lost, records)).toBe('');
        expect(acceptances).toBeGreaterThan(REQUESTS / 20);
        expect(restarts.count).toBeGreaterThanOrEqual(2);
      },
      LIMIT_MS,
    );
  },
);
