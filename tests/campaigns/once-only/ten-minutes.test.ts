import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { campaignSeed, shortOrLong } from '../../support/campaign.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { ServerFleet } from './server-fleet.ts';
import { type ProcessEnd, runTankeeper, startServerProcess } from '../../support/servers/server-process.ts';
import {
  initialise,
  leaveBehind,
  type PostgresNode,
  postgresNode,
  startStandby,
} from '../../support/servers/system-postgres.ts';
import { describeWithProgram, findPostgres } from '../../support/servers/system-programs.ts';
import { until } from '../../support/values/until.ts';
import { checkHistory, isAcceptance, reportFindings } from './checker.ts';
import { HistoryClient, now } from './client.ts';
import { runLoad } from './load.ts';
import { startServerWithoutLog } from './muted-server.ts';
import { drawnIn, type HistoryRecord } from './operations.ts';
import { type Ask, replay, withStoredFacts } from './stored-facts.ts';
import { auditedIn, historyOf, type Timeline } from './timelines.ts';

/** Seconds of load and faults. */
const SECONDS = shortOrLong(12, 600);
const SEED = campaignSeed(26);
const PORTALS = shortOrLong(6, 8);
/** Milliseconds between two requests of a portal; a longer load takes fewer requests at a time. */
const PAUSE_MS = shortOrLong(10, 25);
/** Seconds between two kills, between the ends and beginnings of black holes, and between two changes of the database. */
const KILL_EACH = shortOrLong(4, 20);
const CONNECTED = shortOrLong(3, 30);
const CUT_OFF = shortOrLong(2, 20);
const CHANGE_EACH = shortOrLong(1, 20);
/** Milliseconds for which a standby is behind, and for which a server stands still before and after a change: tokens of the load live longer. */
const BEHIND_MS = 300;
const STOPPED_MS = 300;
const LIMIT_MS = (SECONDS * 4 + 600) * 1_000;
const TWO_HOURS_MS = 7_200_000;
const PASSWORD = 'correct horse battery staple';

/** The servers: one is cut off from its database, one is two hours off and stands still, one is killed. */
const [CUT, STILL, KILLED] = [0, 1, 2];
/** Sets the clock of a process, for all that JavaScript sees. */
const SHIFTED = pathToFileURL(join(import.meta.dirname, '../../support/environment/shifted-clock.js')).href;

/** A PostgreSQL that the servers were turned to. */
interface Life extends Timeline {
  readonly node: PostgresNode;
  ended: number;
}

/** What the checker says of one of them. */
interface Checked {
  readonly history: readonly HistoryRecord[];
  /** Empty without findings. */
  readonly report: string;
}

describeWithProgram('servers under faults', findPostgres(), 'postgresql', (programs) => {
  let folder: string;
  let proxies: readonly [DatabaseProxy, DatabaseProxy];
  let environment: Readonly<Record<string, string>>;
  let fleet: ServerFleet;
  let client: HistoryClient;
  const lives: Life[] = [];
  let present: Life;
  /** The faults so far: kills, sessions that were at work when they were cut off, and restores that were tried. */
  const faults = { kills: 0, cutOff: 0, refused: [] as string[] };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankeeper-history-'));
    const node = await nextNode();
    await initialise(programs, node);
    present = { node, copied: -Infinity, begun: -Infinity, ended: Infinity };
    lives.push(present);
    proxies = [await DatabaseProxy.start(node.url), await DatabaseProxy.start(node.url)];
    writeFileSync(join(folder, 'password'), PASSWORD, { mode: 0o600 });
    writeFileSync(join(folder, 'shift'), String(TWO_HOURS_MS));
    environment = {
      DATABASE_URL: proxies[0].url,
      DATA_DIR: join(folder, 'server'),
      ADMIN_PASSWORD_FILE: join(folder, 'password'),
    };
    const wrongClock = {
      NODE_OPTIONS: `--import=${SHIFTED}`,
      TEST_CLOCK_SHIFT_FILE: join(folder, 'shift'),
    };
    fleet = await ServerFleet.start([
      () => startServerProcess({ ...environment, DATABASE_URL: proxies[1].url }),
      () => startServerProcess({ ...environment, ...wrongClock }),
      () => startServerWithoutLog(environment),
    ]);
    // Sessions end with a restore.
    const { output } = await run('--json', 'api-token', 'add', 'admin', 'history', '*');
    client = new HistoryClient({ credentials: { bearer: /tk_[\w-]{43}/.exec(output)?.[0] ?? '' } });
  }, LIMIT_MS);

  afterAll(async () => {
    const codes = await fleet.stop();
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await Promise.all(lives.map(({ node }) => node.stop()));
    rmSync(folder, { recursive: true });
    expect(codes).toEqual([0, 0, 0]);
  });

  const nextNode = (): Promise<PostgresNode> => postgresNode(programs, folder, `database-${lives.length}`);

  /** Runs a command that must succeed. */
  async function run(...words: readonly string[]): Promise<ProcessEnd> {
    const ended = await runTankeeper(words, environment);
    expect({ words, ...ended }).toMatchObject({ code: 0 });
    return ended;
  }

  async function killing(signal: AbortSignal): Promise<void> {
    await pause(KILL_EACH, signal);
    while (!signal.aborted) {
      faults.kills += (await fleet.kill(KILLED)) === undefined ? 0 : 1;
      await pause(KILL_EACH, signal);
    }
  }

  async function cuttingOff(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(CONNECTED, signal);
      proxies[1].freeze();
      const [row] = await queryOnce<{ count: string }>(
        present.node.url,
        `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL
         AND pid <> pg_backend_pid()`,
      ).catch(() => []);
      faults.cutOff += Number(row?.count ?? 0);
      await pause(CUT_OFF, signal);
      proxies[1].thaw();
    }
  }

  /** Gives the servers another database, time and again: a standby that is behind, and a backup, in turn. */
  async function changingDatabase(signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn += 1) {
      await pause(CHANGE_EACH, signal);
      await (turn % 2 === 0 ? failOver() : restoreBackup());
    }
  }

  async function failOver(): Promise<void> {
    const standby = await nextNode();
    await startStandby(programs, present.node, standby);
    const copied = now();
    await leaveBehind(present.node, standby);
    await sleep(BEHIND_MS);
    await replaceBy(standby, copied, () => queryOnce(standby.superUrl, 'SELECT pg_promote()'));
  }

  /** The database that servers use takes no backup; an empty one takes it, and gets the servers. */
  async function restoreBackup(): Promise<void> {
    const node = await nextNode();
    await initialise(programs, node);
    const file = join(folder, 'backup.age');
    const opened = ['--passphrase-file', join(folder, 'password')];
    const copied = now();
    await run('export', file, '--overwrite', ...opened);
    const words = ['restore', file, ...opened];
    faults.refused.push((await runTankeeper(words, environment)).output);
    const restored = await runTankeeper(words, { ...environment, DATABASE_URL: node.url });
    expect(restored).toMatchObject({ code: 0 });
    await replaceBy(node, copied, () => {
      const at = now();
      client.note({ op: 'restore', args: {} }, { client: 'test', invoked: at, outcome: 'ok', answer: true });
    });
  }

  /** Kills the database while a server stands still, which therefore learns nothing of it, and puts another in its place. */
  async function replaceBy(node: PostgresNode, copied: number, ready: () => unknown): Promise<void> {
    const still = fleet.servers[STILL]?.process;
    still?.kill('SIGSTOP');
    await sleep(STOPPED_MS);
    await present.node.stop();
    present.ended = now();
    present = { node, copied, begun: present.ended, ended: Infinity };
    lives.push(present);
    await ready();
    proxies.forEach((proxy) => {
      proxy.turnTo(node.url);
    });
    await sleep(STOPPED_MS);
    still?.kill('SIGCONT');
  }

  /** @returns the places of servers that have accepted no response of a suite with a time step yet; a restart gets another port */
  function placesWithoutAcceptance(): readonly number[] {
    const lasting = [CUT, STILL].map((place) => fleet.servers[place]?.baseUrl ?? '');
    const accepting = client.records
      .filter((record) => isAcceptance(record) && JSON.stringify(record.args).includes('-T1M'))
      .map(({ server }) => lasting.indexOf(server ?? ''));
    return [CUT, STILL, -1].filter((place) => !accepting.includes(place));
  }

  /** Checks the history of one database, which is started again for that. */
  async function check(life: Life, before: readonly HistoryRecord[]): Promise<Checked> {
    if (life.ended < Infinity) {
      await life.node.start();
    }
    const ask: Ask = (sql, values) => queryOnce(life.node.url, sql, values);
    const history = historyOf(life, client.records, before, await auditedIn(ask));
    const facts = await withStoredFacts(history, ask);
    const findings = [...facts.findings, ...checkHistory(facts.records)];
    if (life.ended < Infinity) {
      await life.node.stop();
    }
    return { history, report: reportFindings(findings, facts.records) };
  }

  it(
    `three servers, one killed, one two hours off and stopped, one cut off, one without room for its log, their database failed over to a standby behind, or restored: each answer is explained (seed ${SEED})`,
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
      const { signal } = ending;
      const striking = Promise.all([killing(signal), cuttingOff(signal), changingDatabase(signal)]);
      // On a busy machine, longer than that.
      const enough = sleep(SECONDS * 1_000).then(() =>
        until(
          () =>
            faults.kills > 1 &&
            faults.cutOff > 0 &&
            lives.length > 2 &&
            placesWithoutAcceptance().length === 0,
        ),
      );
      await Promise.race([enough, loading, striking]).finally(() => {
        ending.abort();
      });
      await striking;
      await loading;
      await fleet.settled();
      await replay(client, fleet.urls());
      const audit = await runTankeeper(['audit', 'verify'], environment);
      const checked: Checked[] = [];
      for (const life of lives) {
        checked.push(await check(life, checked.at(-1)?.history ?? []));
      }
      const findings = checked.map(({ report }) => report).filter((report) => report !== '');
      const lost = checked.flatMap(({ history }, index) => {
        const next = new Set(checked[index + 1]?.history ?? history);
        return history.filter((record) => isAcceptance(record) && !next.has(record));
      });
      const { acceptances, same, straddling } = figuresOf(client.records, lives);
      expect(findings).toEqual([]);
      expect(audit).toMatchObject({ code: 0 });
      expect(acceptances).toBeGreaterThan(SECONDS);
      expect(faults.kills).toBeGreaterThan(1);
      expect(faults.cutOff).toBeGreaterThan(0);
      expect(lives.length).toBeGreaterThan(2);
      expect(faults.refused.filter((output) => !/a server runs on it|has tables/.test(output))).toEqual([]);
      expect(same).toBeGreaterThan(0);
      expect(lost.length).toBeGreaterThan(0);
      expect(straddling).toBeGreaterThanOrEqual(shortOrLong(0, 1));
      // Each server took part, and none but the killed one was started again.
      expect(fleet.servers.slice(0, 2).map((server) => server.process.pid)).toEqual(pids);
      expect(placesWithoutAcceptance()).toEqual([]);
    },
    LIMIT_MS,
  );
});

async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  await sleep(seconds * 1_000, undefined, { signal }).catch(() => undefined);
}

/** @returns the numbers of transactions that were accepted: all, by the server that issued them, on another database */
function figuresOf(records: readonly HistoryRecord[], timelines: readonly Timeline[]) {
  const timelineOf = ({ completed = 0 }: HistoryRecord): number =>
    timelines.findLastIndex(({ begun }) => completed >= begun);
  const issues = new Map(records.map((record) => [drawnIn(record).transaction, record]));
  const figures = { acceptances: 0, same: 0, straddling: 0 };
  for (const record of records.filter(isAcceptance)) {
    const { transaction } = record.args as { transaction?: string };
    const issue = issues.get(transaction);
    figures.acceptances += 1;
    figures.same += issue?.server === record.server ? 1 : 0;
    figures.straddling += issue !== undefined && timelineOf(issue) !== timelineOf(record) ? 1 : 0;
  }
  return figures;
}
