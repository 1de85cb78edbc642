import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { publishResults } from '../../../bench/result-page.ts';
import { campaignSeed, shortOrLong } from '../../support/campaign.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { ServerFleet } from '../../support/servers/server-fleet.ts';
import { runTankeeper, startServerProcess } from '../../support/servers/server-process.ts';
import { until } from '../../support/values/until.ts';
import { checkHistory, isAcceptance, reportFindings } from './checker.ts';
import { HistoryClient } from './client.ts';
import { runLoad } from './load.ts';
import { startServerWithoutLog } from './muted-server.ts';
import { type Ask, replay, withStoredFacts } from './stored-facts.ts';

/** Seconds of load and faults. */
const SECONDS = shortOrLong(12, 600);
const SEED = campaignSeed(26);
const PORTALS = shortOrLong(6, 8);
/** Milliseconds between two requests of a portal; a longer load takes fewer requests at a time. */
const PAUSE_MS = shortOrLong(10, 25);
/** Seconds between two kills, and between the ends and beginnings of black holes. */
const KILL_EACH = shortOrLong(4, 20);
const CONNECTED = shortOrLong(3, 30);
const CUT_OFF = shortOrLong(2, 20);
const LIMIT_MS = (SECONDS * 3 + 600) * 1_000;
const TWO_HOURS_MS = 7_200_000;
const PASSWORD = 'correct horse battery staple';

/** Sets the clock of a process, for all that JavaScript sees. */
const SHIFTED = pathToFileURL(join(import.meta.dirname, '../../support/environment/shifted-clock.js')).href;

let folder: string;
let database: TestDatabase;
let proxy: DatabaseProxy;
let environment: Readonly<Record<string, string>>;
let fleet: ServerFleet;
let client: HistoryClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-history-'));
  database = await createTestDatabase();
  proxy = await DatabaseProxy.start(database.url);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD, { mode: 0o600 });
  environment = {
    DATABASE_URL: database.url,
    DATA_DIR: join(folder, 'server'),
    ADMIN_PASSWORD_FILE: passwordFile,
  };
  const shift = join(folder, 'shift');
  writeFileSync(shift, String(TWO_HOURS_MS));
  const wrongClock = { NODE_OPTIONS: `--import=${SHIFTED}`, TEST_CLOCK_SHIFT_FILE: shift };
  fleet = await ServerFleet.start([
    () => startServerProcess({ ...environment, DATABASE_URL: proxy.url }),
    () => startServerProcess({ ...environment, ...wrongClock }),
    () => startServerWithoutLog(environment),
  ]);
  client = await HistoryClient.open(fleet.servers[0]?.baseUrl ?? '', PASSWORD);
}, LIMIT_MS);

afterAll(async () => {
  client.close();
  const codes = await fleet.stop();
  await proxy.stop();
  rmSync(folder, { recursive: true });
  await database.drop();
  expect(codes).toEqual([0, 0, 0]);
});

const ask: Ask = (sql, values) => queryOnce(database.url, sql, values);

/** The faults so far: kills of the third server, and sessions of the first one that were at work when it was cut off. */
const faults = { kills: 0, cutOff: 0 };

/** Kills the third server, time and again. */
async function killing(signal: AbortSignal): Promise<void> {
  await pause(KILL_EACH, signal);
  while (!signal.aborted) {
    faults.kills += (await fleet.kill(2)) === undefined ? 0 : 1;
    await pause(KILL_EACH, signal);
  }
}

/** Cuts the first server off from the database, time and again. */
async function cuttingOff(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(CONNECTED, signal);
    proxy.freeze();
    const [row] = await queryOnce<{ count: string }>(
      database.url,
      `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL
       AND pid <> pg_backend_pid()`,
    );
    faults.cutOff += Number(row?.count);
    await pause(CUT_OFF, signal);
    proxy.thaw();
  }
}

/** @returns the places of servers that have accepted no response of a suite with a time step yet; a restart gets another port */
function placesWithoutAcceptance(): readonly number[] {
  const lasting = fleet.servers.slice(0, 2).map(({ baseUrl }) => baseUrl);
  const accepting = client.records
    .filter((record) => isAcceptance(record) && JSON.stringify(record.args).includes('-T1M'))
    .map(({ server }) => lasting.indexOf(server ?? ''));
  return [0, 1, -1].filter((place) => !accepting.includes(place));
}

async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  await sleep(seconds * 1_000, undefined, { signal }).catch(() => undefined);
}

it(
  'three servers, one killed, one two hours off, one cut off, one without room for its log: each answer is explained',
  async () => {
    const ending = new AbortController();
    const pids = fleet.servers.slice(0, 2).map((server) => server.process.pid);
    const load = {
      client,
      servers: fleet.urls,
      prefix: 'TEN',
      portals: PORTALS,
      seed: SEED,
      pause: PAUSE_MS,
    };
    const loading = runLoad(load, ending.signal);
    const striking = Promise.all([killing(ending.signal), cuttingOff(ending.signal)]);
    // On a busy machine, longer than that.
    const enough = sleep(SECONDS * 1_000).then(() =>
      until(() => faults.kills > 1 && faults.cutOff > 0 && placesWithoutAcceptance().length === 0),
    );
    await Promise.race([enough, loading, striking]).finally(() => {
      ending.abort();
    });
    await striking;
    await loading;
    await fleet.settled();
    const told = client.records.length;
    const replayed = await replay(client, fleet.urls());
    const { records, findings } = await withStoredFacts(client.records, ask);
    const verdict = checkHistory(records);
    const audit = await runTankeeper(['audit', 'verify'], environment);
    await publishResults({
      name: 'history',
      title: 'History under faults',
      command: 'CAMPAIGN=long npm run test:campaigns -- tests/campaigns/once-only/ten-minutes.test.ts',
      measures:
        'Three servers, one killed, one two hours off, one cut off from its database, one with a full log disk: [Faults](../faults.md#once-only).',
      sections: [
        {
          head: ['measured', 'result'],
          rows: [
            ['seconds', SECONDS],
            ['operations checked', verdict.operations],
            ['of these under load', told],
            ['acceptances', verdict.acceptances],
            ['of unknown outcome', verdict.unknown],
            ['right responses sent again, twice each', replayed],
            ['kills of a server', faults.kills],
            ['transactions that were cut off', faults.cutOff],
            ['findings', verdict.findings.length + findings.length],
          ],
        },
      ],
    });
    expect(reportFindings([...findings, ...verdict.findings], records)).toBe('');
    expect(audit).toMatchObject({ code: 0 });
    expect(verdict.acceptances).toBeGreaterThan(SECONDS);
    expect(faults.kills).toBeGreaterThan(1);
    expect(faults.cutOff).toBeGreaterThan(0);
    // Each server took part, and none but the killed one was started again.
    expect(fleet.servers.slice(0, 2).map((server) => server.process.pid)).toEqual(pids);
    expect(placesWithoutAcceptance()).toEqual([]);
  },
  LIMIT_MS,
);
