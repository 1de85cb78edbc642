import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { campaignSeed, shortOrLong } from '../../support/campaign.ts';
import { DurablePostgres } from './durable-postgres.ts';
import { PATIENCE_MS } from '../../support/values/until.ts';
import { ServerFleet } from './server-fleet.ts';
import { runTankeeper } from '../../support/servers/server-process.ts';
import { checkHistory, isAcceptance, reportFindings } from './checker.ts';
import { HistoryClient } from './client.ts';
import { runLoad } from './load.ts';
import { storm } from './storm.ts';
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
  // The first one is never killed, so that it must recover from everything without a restart.
  fleet = await ServerFleet.ofThree(environment);
  client = await HistoryClient.open(fleet.servers[0]?.baseUrl ?? '', PASSWORD);
});

afterAll(async () => {
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
    await replay(client, fleet.urls());
    const { records, findings } = await withStoredFacts(client.records, postgres.ask);
    const after = checkHistory(records);
    const [audit, counts] = await Promise.all([
      runTankeeper(['audit', 'verify', '--json'], environment),
      runTankeeper(['count', '--verify'], environment),
    ]);
    expect(reportFindings([...underLoad.findings, ...before], underLoad.records)).toBe('');
    expect(reportFindings([...findings, ...after], records)).toBe('');
    expect(audit).toMatchObject({ code: 0 });
    expect(counts).toMatchObject({ code: 0 });
    expect(kills.length).toBeGreaterThanOrEqual(LEAST_KILLS);
    // The servers that were not killed recovered without a restart, each time.
    expect(kills.filter(({ lost }) => lost.length > 0)).toEqual([]);
    expect(fleet.servers[0]?.process.pid).toBe(survivor);
    // A start may be refused, but only because the database was away.
    expect(fleet.refusedStarts.filter((text) => !/database .*is not available/.test(text))).toEqual([]);
    // The kills were effective, and there was data to lose.
    const { started, reinitialised } = await postgres.recoveries();
    expect(started).toBeGreaterThanOrEqual(kills.filter(({ kind }) => kind === 'postmaster').length);
    expect(reinitialised).toBeGreaterThan(0);
    expect(JSON.stringify(records.filter(({ op }) => op === 'rows'))).toMatch(/"failcount":[1-9]/);
    expect(underLoad.records.filter(isAcceptance).length).toBeGreaterThan(LEAST_KILLS);
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
