import { join } from 'node:path';
import { parseArgs } from 'node:util';

import pg from 'pg';

import { closingOnce, openBenchCluster } from './bench-cluster.ts';
import { startBenchServer } from './bench-server.ts';
import { FormProbe } from './form-probe.ts';
import { benchCommand, publishResults, type ResultTable } from './result-page.ts';
import { summarise } from './sample-statistics.ts';
import { forgiveResponses, makeTimedTokens, type TimedToken } from './timing-tokens.ts';

/** `npm run bench:logins`: see docs/benchmarks.md. */

const ATTACKERS = 60;
const WARM_UP = 200;
const FORGIVE_EVERY = 500;

const { values: flags } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, rounds: { type: 'string', default: '3' } },
});
await run(Number(flags.seconds), Number(flags.rounds));

async function run(seconds: number, rounds: number): Promise<void> {
  const cluster = await openBenchCluster(process.env.BENCH_DATABASE_URL, false);
  const opened: (() => Promise<void>)[] = [() => cluster.close()];
  const close = closingOnce(async () => {
    for (const one of opened.toReversed()) {
      await one();
    }
  });
  try {
    const url = await cluster.createDatabase('logins');
    const environment = {
      LIMIT_LOGIN_FAILURES: '10000',
      HOUSEKEEPING_INTERVAL: 'off',
      // Each attacker is a client of its own: else the limit of one client would hold them up, not the gate.
      TRUST_PROXY: 'loopback',
    };
    const server = await startBenchServer(url, join(cluster.folder, 'server'), { rights: '*', environment });
    opened.push(() => server.stop());
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    opened.push(() => client.end());
    const { unlocked } = await makeTimedTokens(server, client);
    const probe = new FormProbe(server.baseUrl);
    const forgive = (): Promise<void> => forgiveResponses(client);
    await checks(probe, unlocked, forgive, (done) => done >= WARM_UP);
    const quiet: number[][] = [];
    const flooded: number[][] = [];
    const answers = new Map<number, number>();
    for (let round = 0; round < rounds; round += 1) {
      quiet.push(await checks(probe, unlocked, forgive, during(seconds)));
      const flood = floodOf(server.baseUrl, answers);
      flooded.push(await checks(probe, unlocked, forgive, during(seconds)));
      await flood.stop();
    }
    probe.close();
    await publishResults({
      name: 'logins',
      title: 'Wrong logins in waves',
      command: benchCommand('bench:logins'),
      measures:
        'Response times of `/ocra/check_t` while many wrong logins arrive: [Benchmarks](../benchmarks.md#wrong-logins-in-waves).',
      software: `PostgreSQL ${cluster.version}`,
      sections: [
        `${rounds} rounds of ${seconds} s each.`,
        timesTable(quiet, flooded),
        describeAnswers(answers),
      ],
    });
  } finally {
    await close();
  }
}

function during(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1000;
  return () => performance.now() >= end;
}

/** Wrong responses to a transaction, one after the other. @returns their times in milliseconds */
async function checks(
  probe: FormProbe,
  { transaction, pin, lastWrong }: TimedToken,
  forgive: () => Promise<void>,
  isOver: (done: number) => boolean,
): Promise<number[]> {
  const parameters = { transactionid: transaction, pass: `${pin}${lastWrong}` };
  const times: number[] = [];
  while (!isOver(times.length)) {
    if (times.length % FORGIVE_EVERY === 0) {
      await forgive();
    }
    const { status, body, milliseconds } = await probe.post({ path: '/ocra/check_t', parameters });
    if (status !== 200) {
      throw new Error(`check_t was answered ${status}: ${body}`);
    }
    times.push(milliseconds);
  }
  return times;
}

/** Waves of wrong passwords, each a different one: the next one comes when the last has been answered. */
function floodOf(baseUrl: string, answers: Map<number, number>): { stop(): Promise<void> } {
  const probes = Array.from({ length: ATTACKERS }, () => new FormProbe(baseUrl));
  let isStopped = false;
  let guess = 0;
  const attack = async (probe: FormProbe, attacker: number): Promise<void> => {
    guess += 1;
    const { status } = await probe.post({
      path: '/admin/login',
      parameters: { username: 'known', password: `wrong password ${guess}` },
      headers: { 'X-Forwarded-For': `198.51.100.${attacker + 1}` },
    });
    answers.set(status, (answers.get(status) ?? 0) + 1);
  };
  const waves = async (): Promise<void> => {
    while (!isStopped) {
      await Promise.all(probes.map(attack));
    }
  };
  const ended = waves();
  return {
    stop: async () => {
      isStopped = true;
      await ended;
      probes.forEach((probe) => {
        probe.close();
      });
    },
  };
}

function timesTable(quiet: readonly number[][], flooded: readonly number[][]): ResultTable {
  const kinds = { 'no logins': quiet, [`${ATTACKERS} wrong logins at once`]: flooded };
  return {
    head: ['check_t', 'n', 'median, ms', 'p99, ms', 'medians of rounds, ms'],
    rows: Object.entries(kinds).map(([name, rounds]) => {
      const { median, p99, spread } = summarise(rounds);
      const middles = spread.map((value) => value.toFixed(2)).join('–');
      return [name, rounds.flat().length, median.toFixed(2), p99.toFixed(2), middles];
    }),
  };
}

function describeAnswers(answers: ReadonlyMap<number, number>): string {
  const counts = [...answers].sort(([left], [right]) => left - right);
  return `Answers to the logins: ${counts.map(([status, count]) => `${count} with status ${status}`).join(', ')}.`;
}
