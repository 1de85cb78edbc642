import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';

import { closingOnce, openBenchCluster } from '../bench-cluster.ts';
import { startBenchServer } from '../bench-server.ts';
import { benchCommand, publishResults, type ResultTable } from '../result-page.ts';
import { ProgressBar } from '../progress-bar.ts';
import { median, range } from '../sample-statistics.ts';
import { startBareProcess } from './bare-process.ts';
import { makeBareTables } from './bare-statements.ts';
import { startLoadProcess, type LoadProcess } from './load-process.ts';
import { loadMeasuredTokens } from './measured-tokens.ts';
import {
  answeringMeasures,
  BARE_CHECK,
  BARE_TOKENS,
  type Bench,
  expressMeasures,
  type Measure,
} from './measures.ts';

/** `npm run bench`: see docs/benchmarks.md. */

/** As in production, but so high that the limits never refuse. Loopback is not exempt. */
const LIMITS = {
  LIMIT_EXEMPT: 'none',
  LIMIT_CLIENT_REQUESTS: '1000000',
  LIMIT_CLIENT_FAILURES: '1000000',
  LIMIT_TRANSACTION_FAILURES: '1000000',
  LIMIT_LOGIN_FAILURES: '10000',
};
/** Requests a second that are prepared for before any was measured. */
const FIRST_GUESS = 3_000;
/** So many more are prepared than the last run took. */
const SPARE = 1.5;

const { values: given } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '1,32,64' },
    only: { type: 'string' },
    workers: { type: 'string' },
    database: { type: 'string' },
  },
});
await run();

async function run(): Promise<void> {
  const rounds = Number(given.rounds);
  const seconds = Number(given.seconds);
  const connections = given.connections.split(',').map(Number);
  const cluster = await openBenchCluster(
    given.database ?? process.env.BENCH_DATABASE_URL ?? process.env.DATABASE_URL,
    true,
  );
  const opened: (() => Promise<void>)[] = [() => cluster.close()];
  const close = closingOnce(async () => {
    for (const one of opened.toReversed()) {
      await one();
    }
  });
  try {
    const url = await cluster.createDatabase('answering');
    const environment = { ...LIMITS, ...(given.workers !== undefined && { WORKERS: given.workers }) };
    const server = await startBenchServer(url, join(cluster.folder, 'server'), { rights: '*', environment });
    opened.push(() => server.stop());
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    opened.push(() => client.end());
    await client.query('SET statement_timeout = 0');
    await client.query(makeBareTables(BARE_TOKENS));
    await loadMeasuredTokens(server, client, cluster.folder);
    const bare = await startBareProcess(url);
    opened.push(() => bare.stop());
    const load = startLoadProcess();
    opened.push(() => load.stop());
    const only = given.only?.split(',');
    const measures = [...expressMeasures(connections), ...answeringMeasures(connections)].filter(
      ({ name }) => only?.includes(name) ?? true,
    );
    const rates = await measure({ server, bare, client }, load, measures, rounds, seconds);
    await publishResults({
      name: 'answering',
      title: 'Answering',
      command: benchCommand('bench'),
      measures: 'Requests a second: [Benchmarks](../benchmarks.md#answering).',
      software: `PostgreSQL ${cluster.version}`,
      sections: [`${rounds} rounds of ${seconds} s.`, ratesTable(measures, rates)],
    });
  } finally {
    await close();
  }
}

/** Runs all measures in each round, in another order each time. @returns requests a second of each round */
async function measure(
  bench: Bench,
  load: LoadProcess,
  measures: readonly Measure[],
  rounds: number,
  seconds: number,
): Promise<ReadonlyMap<Measure, number[]>> {
  const rates = new Map<Measure, number[]>(measures.map((one) => [one, []]));
  const bar = new ProgressBar('runs', rounds * measures.length);
  const warmUp = Math.min(1, seconds / 3);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, one] of rotated(measures, round).entries()) {
      const known = rates.get(one) ?? [];
      const expected = known.length === 0 ? FIRST_GUESS : Math.max(...known) * SPARE;
      const job = await one.prepare(bench, Math.ceil(expected * (seconds + warmUp)));
      const result = await load.run({ ...job, connections: one.connections, warmUp, seconds });
      known.push(result.milliseconds.length / result.seconds);
      bar.show(round * measures.length + index + 1);
    }
  }
  return rates;
}

function rotated<Value>(values: readonly Value[], by: number): readonly Value[] {
  const start = by % values.length;
  return [...values.slice(start), ...values.slice(0, start)];
}

function ratesTable(measures: readonly Measure[], rates: ReadonlyMap<Measure, number[]>): ResultTable {
  const ratesOf = (name: string, connections: number): readonly number[] => {
    const found = measures.find((one) => one.name === name && one.connections === connections);
    return (found && rates.get(found)) ?? [];
  };
  return {
    head: ['request', 'connections', 'per second', 'least–most', 'of (b)'],
    rows: measures.map(({ name, connections }) => {
      const own = ratesOf(name, connections);
      const base = ratesOf(BARE_CHECK, connections);
      return [
        name,
        connections,
        median(own).toFixed(0),
        range(own)
          .map((rate) => rate.toFixed(0))
          .join('–'),
        median(own.map((rate, round) => rate / (base[round] ?? Number.NaN))).toFixed(2),
      ];
    }),
  };
}
