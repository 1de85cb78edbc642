import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { HistoryClient } from '../../tests/campaigns/once-only/client.ts';
import { runLoad } from '../../tests/campaigns/once-only/load.ts';
import { closingOnce } from '../bench-cluster.ts';
import { benchCommand, publishResults } from '../result-page.ts';
import { DatabaseCluster } from './database-cluster.ts';
import { operationsTable, roundsTable, summaryTable } from './failover-report.ts';
import { type FailoverRound, runRound, type Trouble } from './failover-round.ts';
import { type FailoverVerdict, judge } from './failover-verdict.ts';
import { findPrograms } from './installed-programs.ts';
import type { PatroniTimes } from './patroni-settings.ts';
import { TankeeperServers } from './tankeeper-servers.ts';

/** `npm run bench:failover`: see README.md beside this file. */

/** The number of findings of a kind that are shown. */
const MAX_SHOWN_FINDINGS = 3;
const DEFAULT_TTL = '30';

const { values: flags } = parseArgs({
  options: {
    /** Rounds in which the primary's node is killed. */
    kills: { type: 'string', default: '3' },
    /** Rounds in which it stands still until another one has taken over. */
    freezes: { type: 'string', default: '1' },
    /** Rounds in which it hands over in order. */
    switchovers: { type: 'string', default: '1' },
    portals: { type: 'string', default: '8' },
    /** Patroni's settings of these names, in seconds; its defaults. */
    ttl: { type: 'string', default: DEFAULT_TTL },
    'loop-wait': { type: 'string', default: '10' },
    'retry-timeout': { type: 'string', default: '10' },
    /** Commits do not wait for a standby: to see what is lost then. */
    asynchronous: { type: 'boolean', default: false },
    /** Patroni speaks version 3 of etcd's interface instead of 2. */
    etcd3: { type: 'boolean', default: false },
    /** A folder in which the logs of all programs are left. */
    logs: { type: 'string' },
  },
});
process.exitCode = (await run()) ? 0 : 1;

async function run(): Promise<boolean> {
  const programs = findPrograms();
  const times = {
    ttl: Number(flags.ttl),
    loopWait: Number(flags['loop-wait']),
    retryTimeout: Number(flags['retry-timeout']),
  };
  const cluster = await DatabaseCluster.prepare(programs, {
    times,
    synchronous: !flags.asynchronous,
    etcdInterface: flags.etcd3 ? 'etcd3' : 'etcd',
  });
  const opened: (() => Promise<void>)[] = [() => cluster.close()];
  const close = closingOnce(async () => {
    for (const one of opened.toReversed()) {
      await one();
    }
  });
  try {
    note('starting etcd, Patroni and HAProxy');
    await cluster.start();
    const servers = new TankeeperServers(cluster.url, join(cluster.folder, 'tankeeper'));
    opened.push(
      () => servers.stop(),
      () => leaveLogs(cluster, servers),
    );
    const client = new HistoryClient({ credentials: { session: await servers.start() } });
    const rounds = await runRounds(cluster, servers, client);
    const tables = [roundsTable(rounds), summaryTable(rounds), operationsTable(client.records)];
    note('comparing what clients were told with the databases');
    const verdict = await judge(cluster, servers, client);
    client.close();
    await publishResults({
      name: pageName(),
      title: 'Failover',
      command: benchCommand('bench:failover'),
      measures: 'A primary that is killed, paused or replaced under load: [Failover](../failover.md).',
      software: programs.versions,
      sections: [describeCluster(times), ...tables, describeVerdict(verdict)],
    });
    return verdict.findings.size === 0;
  } finally {
    await close();
  }
}

async function runRounds(
  cluster: DatabaseCluster,
  servers: TankeeperServers,
  client: HistoryClient,
): Promise<readonly FailoverRound[]> {
  const troubles: readonly (readonly [Trouble, string])[] = [
    ['kill', flags.kills],
    ['freeze', flags.freezes],
    ['switchover', flags.switchovers],
  ];
  const stopping = new AbortController();
  const load = {
    client,
    servers: () => servers.urls,
    prefix: 'FAILOVER',
    portals: Number(flags.portals),
    seed: 7,
    pause: 5,
  };
  const running = runLoad(load, stopping.signal);
  const rounds: FailoverRound[] = [];
  try {
    for (const [trouble, times] of troubles) {
      for (let time = 1; time <= Number(times); time += 1) {
        note(`${trouble} ${time} of ${times}`);
        const round = await Promise.race([runRound(cluster, client, trouble), running.then(endedEarly)]);
        note(`first acceptance after ${round.firstAcceptance.toFixed(1)} s`);
        rounds.push(round);
      }
    }
  } finally {
    stopping.abort();
    await running;
  }
  return rounds;
}

/** @returns one name for each configuration whose results are compared: `failover`, `failover-ttl-10-asynchronous` */
function pageName(): string {
  const ttl = flags.ttl === DEFAULT_TTL ? [] : [`ttl-${flags.ttl}`];
  return ['failover', ...ttl, ...(flags.asynchronous ? ['asynchronous'] : [])].join('-');
}

function describeCluster({ ttl, loopWait, retryTimeout }: PatroniTimes): string {
  const mode = flags.asynchronous ? 'off' : 'on';
  return `Patroni: ttl ${ttl} s, loop_wait ${loopWait} s, retry_timeout ${retryTimeout} s, synchronous_mode ${mode}.`;
}

function describeVerdict({ reported, findings }: FailoverVerdict): string {
  const failures = [...findings].map(
    ([kind, all]) => `FAIL: ${kind}: ${all.length}, such as ${all.slice(0, MAX_SHOWN_FINDINGS).join('; ')}`,
  );
  const verdict = findings.size === 0 ? ['PASS'] : failures;
  return [...reported, ...verdict].map((line) => `- ${line}`).join('\n');
}

async function leaveLogs(cluster: DatabaseCluster, servers: TankeeperServers): Promise<void> {
  if (flags.logs === undefined) {
    return;
  }
  await mkdir(flags.logs, { recursive: true });
  for (const node of cluster.nodes) {
    await writeFile(join(flags.logs, `${node.name}.log`), await node.log());
  }
  for (const [index, output] of servers.output.entries()) {
    await writeFile(join(flags.logs, `server${index + 1}.log`), output);
  }
}

function endedEarly(): never {
  throw new Error('The load ended too early');
}

function note(message: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${message}\n`);
}
