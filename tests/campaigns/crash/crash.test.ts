import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { publishResults } from '../../../bench/result-page.ts';
import { CrashFleet } from './crash-fleet.ts';
import { CrashPostgres } from './crash-postgres.ts';
import { crashReport } from './crash-report.ts';
import { storm } from './crash-storm.ts';
import { runTankeeper } from '../../support/servers/server-process.ts';
import { ReportedClient } from '../reported-answers/reported-client.ts';
import { ReportedLedger } from '../reported-answers/reported-ledger.ts';
import { ReportedLoad } from '../reported-answers/reported-load.ts';
import { verifyReported } from '../reported-answers/reported-replay.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

/** Seconds of load and kills; CRASH_SECONDS=60 is the long form, with at least 30 kills. */
const SECONDS = Number(process.env.CRASH_SECONDS ?? 20);
const KILLS = SECONDS >= 60 ? 30 : 10;
/** Milliseconds; on a busy machine recoveries, and therefore kills, take longer. */
const LIMIT_MS = (SECONDS * 4 + 300) * 1_000;
const PASSWORD = 'correct horse battery staple';
let folder: string;
let postgres: CrashPostgres;
let environment: Readonly<Record<string, string>>;
let fleet: CrashFleet;
let client: ReportedClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-crash-'));
  postgres = await CrashPostgres.start(folder);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD, { mode: 0o600 });
  environment = {
    DATABASE_URL: postgres.url,
    DATA_DIR: join(folder, 'server'),
    ADMIN_PASSWORD_FILE: passwordFile,
    HOUSEKEEPING_INTERVAL: '2',
  };
  // The first one is never killed, so that it must recover from everything without a restart.
  const unshared = { ...environment, DATABASE_SHARED_STATEMENTS: 'off' };
  fleet = await CrashFleet.start([environment, unshared, environment]);
  client = await ReportedClient.open(fleet.servers[0]?.baseUrl ?? '', PASSWORD);
});

afterAll(async () => {
  client.close();
  const codes = await fleet.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true });
  expect(codes).toEqual([0, 0, 0]);
});

it(
  'keeps everything that clients were told, through kill -9 of servers, backends and postmaster under load',
  async () => {
    expect(await settings()).toEqual({ fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' });
    const survivor = fleet.servers[0]?.process.pid;
    const ledger = new ReportedLedger();
    const ending = new AbortController();
    const begun = performance.now();
    const load = new ReportedLoad({
      ledger,
      client,
      servers: fleet.urls,
      prefix: 'CRASH',
      seed: String(Date.now()),
    });
    const loading = load.run(ending.signal);
    const kills = await storm(
      { duration: SECONDS * 1_000, kills: KILLS, limit: LIMIT_MS },
      { postgres, fleet, ledger },
    ).finally(() => {
      ending.abort();
    });
    await loading;
    const ended = performance.now();
    await fleet.settled();
    await quiet();

    const acceptancesReported = ledger.accepted.length;
    const responses = ReportedLedger.tally(ledger.responses);
    const verdict = await verifyReported(ledger, { ask: postgres.ask, client, servers: fleet.urls() });
    const [audit, counts] = await Promise.all([
      runTankeeper(['audit', 'verify', '--json'], environment),
      runTankeeper(['count', '--verify'], environment),
    ]);
    const auditRows = Number(/"rows":\s*(\d+)/.exec(audit.output)?.[1]);
    await publishResults({
      name: 'crash',
      title: 'Crash',
      command: `CRASH_SECONDS=${SECONDS} npm run test:campaigns -- tests/campaigns/crash/crash.test.ts`,
      measures: '`kill -9` of servers, backends and postmaster under load: [Faults](../faults.md#crash).',
      sections: crashReport({
        kills,
        begun,
        ended,
        ledger,
        acceptancesReported,
        responses,
        verdict,
        auditRows,
        refusedStarts: fleet.refusedStarts.length,
      }),
    });

    expect(verdict.findings).toEqual([]);
    expect(audit).toMatchObject({ code: 0 });
    expect(auditRows).toBeGreaterThan(verdict.report.acceptedTransactions.size);
    expect(counts).toMatchObject({ code: 0 });
    expect(kills.length).toBeGreaterThanOrEqual(KILLS);
    // The servers that were not killed recovered without a restart, each time.
    expect(kills.filter(({ recoveries, untouched }) => recoveries.length < untouched)).toEqual([]);
    expect(fleet.servers[0]?.process.pid).toBe(survivor);
    // A start may be refused, but only because the database was away.
    expect(fleet.refusedStarts.filter((text) => !/database .*is not available/.test(text))).toEqual([]);
    // The kills were effective, and there was data to lose.
    const { started, reinitialised } = await postgres.recoveries();
    expect(started).toBeGreaterThanOrEqual(kills.filter(({ kind }) => kind === 'postmaster').length);
    expect(reinitialised).toBeGreaterThan(0);
    expect(verdict.report.countedTokens).toBeGreaterThan(0);
    expect(acceptancesReported).toBeGreaterThan(KILLS);
  },
  LIMIT_MS + 300_000,
);

async function settings(): Promise<Record<string, string>> {
  const rows = await postgres.ask<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')`,
    [],
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
