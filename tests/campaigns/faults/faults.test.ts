import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { publishResults } from '../../../bench/result-page.ts';
import { campaignSeed, isLong, shortOrLong } from '../../support/campaign.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { processesOf } from '../../support/servers/processes-of.ts';
import { ServerFleet } from '../once-only/server-fleet.ts';
import { runTankeeper, startServerProcess } from '../../support/servers/server-process.ts';
import {
  initialise,
  type PostgresNode,
  postgresNode,
  startStandby,
} from '../../support/servers/system-postgres.ts';
import { describeWithProgram, findPostgres } from '../../support/servers/system-programs.ts';
import { until } from '../../support/values/until.ts';
import { checkHistory, isAcceptance, reportFindings } from '../once-only/checker.ts';
import { HistoryClient, now } from '../once-only/client.ts';
import { runLoad } from '../once-only/load.ts';
import { type Ask, replay, withStoredFacts } from '../once-only/stored-facts.ts';
import { accepted } from '../once-only/storm.ts';

const SEED = campaignSeed(31);
const LIMIT_MS = 600_000;
const PASSWORD = 'correct horse battery staple';
/** Seconds of load before a fault, and for which a fault lasts that somebody must end. */
const CALM = shortOrLong(1, 3);
const HELD = shortOrLong(2, 15);
/** Megabytes of the disk of PostgreSQL. */
const DISK = 400;
/** Fewer than a server has open. */
const FEW_DESCRIPTORS = 10;
/** The servers: one whose clock jumps, and one to be killed. */
const [WRONG_CLOCK, KILLED] = [1, 2];
const SHIFTED = pathToFileURL(join(import.meta.dirname, '../../support/environment/shifted-clock.js')).href;

/** Something that fails while clients are served. */
interface Fault {
  readonly name: string;
  readonly strike: () => unknown;
  /** Ends it; without this it ends by itself. */
  readonly heal?: () => unknown;
  /** The short form has it. */
  readonly isQuick?: true;
}

/** A row of the table. */
type Outcome = readonly (string | number)[];

describeWithProgram('servers under load, and a fault', findPostgres(), 'postgresql', (programs) => {
  let folder: string;
  let disk: string;
  let postgres: PostgresNode;
  let proxy: DatabaseProxy;
  let fleet: ServerFleet;
  let environment: Readonly<Record<string, string>>;
  const outcomes: Outcome[] = [];
  const ask: Ask = (sql, values) => queryOnce(proxy.url, sql, values);
  const isMounted = isLong && isMountable();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankeeper-faults-'));
    disk = mkdtempSync(join(tmpdir(), 'tankeeper-disk-'));
    if (isMounted) {
      mount(disk);
    }
    postgres = await postgresNode(programs, disk, 'primary');
    await initialise(programs, postgres);
    proxy = await DatabaseProxy.start(postgres.url);
    writeFileSync(join(folder, 'password'), PASSWORD, { mode: 0o600 });
    writeFileSync(join(folder, 'shift'), '0');
    environment = {
      DATABASE_URL: proxy.url,
      DATA_DIR: join(folder, 'server'),
      ADMIN_PASSWORD_FILE: join(folder, 'password'),
      DRAIN_TIME: '3S',
    };
    const shifted = {
      NODE_OPTIONS: `--import=${SHIFTED}`,
      TEST_CLOCK_SHIFT_FILE: join(folder, 'shift'),
    };
    fleet = await ServerFleet.start([
      () => startServerProcess(environment),
      () => startServerProcess({ ...environment, ...shifted }),
      () => startServerProcess(environment),
    ]);
  }, LIMIT_MS);

  afterAll(async () => {
    const codes = await fleet.stop();
    await proxy.stop();
    await postgres.stop();
    if (isMounted) {
      execFileSync('umount', [disk]);
    }
    [folder, disk].forEach((each) => {
      rmSync(each, { recursive: true });
    });
    await publishResults({
      name: 'faults',
      title: 'Faults under load',
      command: 'CAMPAIGN=long npm run test:campaigns -- tests/campaigns/faults/faults.test.ts',
      measures:
        'Three servers under load, one fault at a time, and the history of the clients: [Faults](../faults.md#the-table-of-faults).',
      sections: [
        {
          head: [
            'fault',
            'seconds that it lasts',
            'done or refused',
            '503',
            'no answer',
            'longest, in seconds',
            'seconds to recovery',
            'acceptances',
            'lost or twice',
          ],
          rows: outcomes,
        },
      ],
    });
    expect(codes).toEqual([0, 0, 0]);
  }, LIMIT_MS);

  function signalPostgres(signal: NodeJS.Signals): void {
    for (const { pid } of processesOf(postgres.data)) {
      process.kill(pid, signal);
    }
  }

  /** As a service manager does, until it succeeds: what a killed one has left may be in its way. */
  async function startPostgres(): Promise<void> {
    await until(
      () =>
        postgres.start().then(
          () => true,
          () => false,
        ),
      { pollMs: 250 },
    );
  }

  function fillDisk(): void {
    const ballast = openSync(join(disk, 'ballast'), 'w');
    try {
      for (let megabytes = 0; megabytes <= DISK; megabytes += 1) {
        writeSync(ballast, Buffer.alloc(1_048_576));
      }
      throw new Error('The disk is not full');
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    } finally {
      closeSync(ballast);
    }
  }

  async function emptyDisk(): Promise<void> {
    rmSync(join(disk, 'ballast'));
    await postgres.stop();
    await startPostgres();
  }

  function signalServer(place: number, signal: NodeJS.Signals): void {
    fleet.servers[place]?.process.kill(signal);
  }

  function setClock(hours: number): void {
    writeFileSync(join(folder, 'shift'), String(hours * 3_600_000));
    signalServer(WRONG_CLOCK, 'SIGUSR2');
  }

  function limitDescriptors(most: number): void {
    execFileSync('prlimit', ['--pid', String(fleet.servers[0]?.process.pid), `--nofile=${most}:`]);
  }

  /** The primary ends in order, a standby takes its place, and the one address leads there. */
  async function switchOver(): Promise<void> {
    const standby = await postgresNode(programs, folder, 'standby');
    await startStandby(programs, postgres, standby);
    await postgres.stop('SIGINT');
    await queryOnce(standby.superUrl, 'SELECT pg_promote()');
    proxy.turnTo(standby.url);
    postgres = standby;
  }

  const FULL_DISK: readonly Fault[] = [
    { name: "full disk of PostgreSQL's tables", strike: fillDisk, heal: emptyDisk },
    {
      name: 'full disk of its write-ahead log',
      strike: async () => {
        fillDisk();
        // The next file of the log does not fit.
        await queryOnce(postgres.superUrl, 'SELECT pg_switch_wal()').catch(() => undefined);
      },
      heal: emptyDisk,
    },
  ];
  const FAULTS: readonly Fault[] = [
    { name: 'kill -9 of a server', strike: () => fleet.kill(KILLED), isQuick: true },
    {
      name: 'kill -9 of PostgreSQL',
      strike: async () => {
        signalPostgres('SIGKILL');
        await startPostgres();
      },
      isQuick: true,
    },
    {
      name: 'SIGSTOP of PostgreSQL',
      strike: () => {
        signalPostgres('SIGSTOP');
      },
      heal: () => {
        signalPostgres('SIGCONT');
      },
      isQuick: true,
    },
    {
      name: 'SIGSTOP of a server',
      strike: () => {
        signalServer(KILLED, 'SIGSTOP');
      },
      heal: () => {
        signalServer(KILLED, 'SIGCONT');
      },
    },
    {
      name: 'black hole before PostgreSQL',
      strike: () => {
        proxy.freeze();
      },
      heal: async () => {
        await proxy.cut();
        proxy.thaw();
        await proxy.restore();
      },
    },
    ...(isMounted ? FULL_DISK : []),
    ...[2, -2].map((hours): Fault => ({
      name: `clock of a server ${hours > 0 ? '+' : '−'}2 h`,
      strike: () => {
        setClock(hours);
      },
      heal: () => {
        setClock(0);
      },
    })),
    {
      name: 'no descriptors left',
      strike: async () => {
        limitDescriptors(FEW_DESCRIPTORS);
        await ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE $1`, [
          'tankeeper %',
        ]);
      },
      heal: () => {
        limitDescriptors(1_024);
      },
    },
    {
      name: 'rolling restart',
      strike: async () => {
        for (const place of fleet.servers.keys()) {
          await fleet.restart(place);
        }
      },
    },
    { name: 'switchover to a standby', strike: switchOver },
  ];

  it.each(FAULTS.filter(({ isQuick }) => isLong || isQuick === true))(
    `$name: nothing is lost or accepted twice, and each server accepts again (seed ${SEED})`,
    async ({ name, strike, heal }) => {
      const client = await HistoryClient.open(fleet.servers[0]?.baseUrl ?? '', PASSWORD);
      const ending = new AbortController();
      const prefix = `FAULT${outcomes.length}`;
      const loading = runLoad(
        { client, servers: fleet.urls, prefix, portals: 6, seed: SEED, pause: 10 },
        ending.signal,
      );
      const striking = async (): Promise<readonly [number, number, readonly (number | undefined)[]]> => {
        await sleep(CALM * 1_000);
        const struck = now();
        await strike();
        await sleep(heal === undefined ? 0 : HELD * 1_000);
        const healed = heal === undefined ? struck : now();
        await heal?.();
        await fleet.settled();
        const since = now();
        const recoveries = await Promise.all(fleet.urls().map((url) => accepted(client, url, since)));
        return [struck, healed, recoveries];
      };
      const [struck, healed, recoveries] = await striking().finally(() => {
        ending.abort();
      });
      await loading;
      const recovered = Math.max(...recoveries.map((moment) => moment ?? Infinity));
      const met = client.records.filter(
        ({ invoked, completed = Infinity }) => completed > struck && invoked < recovered,
      );
      const unknown = met.filter(({ outcome }) => outcome === 'unknown');
      const unavailable = unknown.filter(({ why }) => why?.startsWith('503') === true);
      await replay(client, fleet.urls());
      const { records, findings } = await withStoredFacts(client.records, ask);
      const lost = [...findings, ...checkHistory(records)];
      const acceptances = records.filter(isAcceptance).length;
      const seconds = (milliseconds: number): string => (milliseconds / 1_000).toFixed(1);
      outcomes.push([
        name,
        heal === undefined ? '–' : HELD,
        met.length - unknown.length,
        unavailable.length,
        unknown.length - unavailable.length,
        seconds(Math.max(...met.map(({ invoked, completed = Infinity }) => completed - invoked))),
        seconds(recovered - healed),
        acceptances,
        lost.length,
      ]);
      expect(reportFindings(lost, records)).toBe('');
      expect(recoveries).not.toContain(undefined);
      expect(acceptances).toBeGreaterThan(3);
    },
    LIMIT_MS,
  );

  it('leaves an audit trail that verifies', async () => {
    expect(await runTankeeper(['audit', 'verify'], environment)).toMatchObject({ code: 0 });
  });
});

function mount(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}m`, 'tankeeper', folder], { stdio: 'ignore' });
}

/** @returns false, with a message, where this account may mount nothing */
function isMountable(): boolean {
  const probe = mkdtempSync(join(tmpdir(), 'tankeeper-disk-'));
  try {
    mount(probe);
    execFileSync('umount', [probe]);
    return true;
  } catch {
    process.stderr.write('Left out, as a tmpfs cannot be mounted: the full disks\n');
    return false;
  } finally {
    rmSync(probe, { recursive: true });
  }
}
