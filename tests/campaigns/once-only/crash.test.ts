import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { publishResults, type ResultTable } from '../../../bench/result-page.ts';
import { campaignSeed, shortOrLong } from '../../support/campaign.ts';
import { DurablePostgres } from './durable-postgres.ts';
import { PATIENCE_MS } from '../../support/values/until.ts';
import { ServerFleet } from './server-fleet.ts';
import { runTankeeper, startServerProcess } from '../../support/servers/server-process.ts';
import { checkHistory, reportFindings } from './checker.ts';
import { HistoryClient } from './client.ts';
import { runLoad } from './load.ts';
import { type Kill, KILLS, storm } from './storm.ts';
import { replay, withStoredFacts } from './stored-facts.ts';

/** Seconds of load and kills. */
const SECONDS = shortOrLong(6, 60);
const LEAST_KILLS = shortOrLong(6, 30);
/** Milliseconds; on a busy machine recoveries, and therefore kills, take longer. */
const LIMIT_MS = (SECONDS * 4 + 300) * 1_000;
const SEED = campaignSeed(9);
const PASSWORD = 'correct horse battery staple';
let folder: string;
let postgres: DurablePostgres;
let environment: Readonly<Record<string, string>>;
let fleet: ServerFleet;
let client: HistoryClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-crash-'));
  postgres = await DurablePostgres.start(folder);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD, { mode: 0o600 });
  environment = {
    DATABASE_URL: postgres.url,
    DATA_DIR: join(folder, 'server'),
    ADMIN_PASSWORD_FILE: passwordFile,
    HOUSEKEEPING_INTERVAL: '2',
  };
  const shared = () => startServerProcess(environment);
  // The first one is never killed, so that it must recover from everything without a restart.
  fleet = await ServerFleet.start([
    shared,
    () => startServerProcess({ ...environment, DATABASE_SHARED_STATEMENTS: 'off' }),
    shared,
  ]);
  client = await HistoryClient.open(fleet.servers[0]?.baseUrl ?? '', PASSWORD);
});

afterAll(async () => {
  client.close();
  const codes = await fleet.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true });
  expect(codes).toEqual([0, 0, 0]);
});

it(
  `keeps all that clients were told, through kill -9 of servers, backends and postmaster under load (seed ${SEED})`,
  async () => {
    const settings = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
    expect(await settingsOf(Object.keys(settings))).toEqual(settings);
    const survivor = fleet.servers[0]?.process.pid;
    const ending = new AbortController();
    const load = { client, servers: fleet.urls, prefix: 'CRASH', portals: 8, seed: SEED, pause: 5 };
    const loading = runLoad(load, ending.signal);
    const kills = await storm(
      { least: SECONDS * 1_000, kills: LEAST_KILLS, most: LIMIT_MS },
      { postgres, fleet, client },
    ).finally(() => {
      ending.abort();
    });
    await loading;
    await fleet.settled();
    await quiet();

    const underLoad = await withStoredFacts(client.records, postgres.ask);
    const before = checkHistory(underLoad.records);
    const replayed = await replay(client, fleet.urls());
    const { records, findings } = await withStoredFacts(client.records, postgres.ask);
    const verdict = checkHistory(records);
    const [audit, counts] = await Promise.all([
      runTankeeper(['audit', 'verify', '--json'], environment),
      runTankeeper(['count', '--verify'], environment),
    ]);
    await publishResults({
      name: 'crash',
      title: 'Crash',
      command: 'CAMPAIGN=long npm run test:campaigns -- tests/campaigns/once-only/crash.test.ts',
      measures: '`kill -9` of servers, backends and postmaster under load: [Faults](../faults.md#once-only).',
      sections: [
        killTable(kills),
        {
          head: ['measured', 'result'],
          rows: [
            ['operations checked', verdict.operations],
            ['of unknown outcome', verdict.unknown],
            ['acceptances', verdict.acceptances],
            ['right responses sent again, each twice', replayed],
            ['accepted then for the first time', verdict.acceptances - before.acceptances],
            ['starts of servers that ended as the database was away', fleet.refusedStarts.length],
            ['findings', findings.length + verdict.findings.length],
          ],
        },
      ],
    });

    expect(reportFindings([...underLoad.findings, ...before.findings], underLoad.records)).toBe('');
    expect(reportFindings([...findings, ...verdict.findings], records)).toBe('');
    expect(audit).toMatchObject({ code: 0 });
    expect(counts).toMatchObject({ code: 0 });
    expect(kills.length).toBeGreaterThanOrEqual(LEAST_KILLS);
    // The servers that were not killed recovered without a restart, each time.
    expect(kills.filter(({ recoveries, untouched }) => recoveries.length < untouched)).toEqual([]);
    expect(fleet.servers[0]?.process.pid).toBe(survivor);
    // A start may be refused, but only because the database was away.
    expect(fleet.refusedStarts.filter((text) => !/database .*is not available/.test(text))).toEqual([]);
    // The kills were effective, and there was data to lose.
    const { started, reinitialised } = await postgres.recoveries();
    expect(started).toBeGreaterThanOrEqual(kills.filter(({ kind }) => kind === 'postmaster').length);
    expect(reinitialised).toBeGreaterThan(0);
    expect(JSON.stringify(records.filter(({ op }) => op === 'rows'))).toMatch(/"failcount":[1-9]/);
    expect(before.acceptances).toBeGreaterThan(LEAST_KILLS);
  },
  LIMIT_MS + 300_000,
);

async function settingsOf(names: readonly string[]): Promise<Record<string, string>> {
  const rows = await postgres.ask<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY ($1::text[])',
    [names],
  );
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

/** Waits until requests that clients no longer wait for have ended. */
async function quiet(): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let calm = 0; calm < 3;) {
    const rows = await postgres.ask(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'tankeeper server' AND state <> 'idle'`,
      [],
    );
    calm = rows.length === 0 ? calm + 1 : 0;
    if (performance.now() > deadline) {
      throw new Error('Something is under way for ever');
    }
    await sleep(200);
  }
}

function killTable(kills: readonly Kill[]): ResultTable {
  const seconds = (milliseconds: number | undefined): string =>
    milliseconds === undefined ? '–' : (milliseconds / 1_000).toFixed(2);
  return {
    head: ['kill -9 of', 'kills', 'seconds until each other server accepted again: least', 'median', 'most'],
    rows: KILLS.map((kind) => {
      const ofKind = kills.filter((kill) => kill.kind === kind);
      const times = ofKind.flatMap(({ recoveries }) => recoveries).toSorted((one, other) => one - other);
      return [
        kind,
        ofKind.length,
        ...[0, times.length >> 1, times.length - 1].map((at) => seconds(times[at])),
      ];
    }),
  };
}
