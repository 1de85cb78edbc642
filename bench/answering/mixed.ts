import type { BenchServer } from '../bench-server.ts';
import { ProgressBar } from '../progress-bar.ts';
import { median, range } from '../sample-statistics.ts';
import { type MeasuredInstallation, openInstallation, type Workplace } from './installation.ts';
import { type LoadProcess, startLoadProcess } from './load-process.ts';
import type { BenchOptions } from './options.ts';
import { startBareProcess } from './bare-process.ts';
import { makeBareTables } from './bare-statements.ts';
import { describeMachine, machineLine } from './machine.ts';
import {
  BARE_TOKENS,
  type Bench,
  checking,
  checkingBare,
  enrolling,
  type Figures,
  type Prepared,
  runJob,
} from './measures.ts';
import { publish } from './publication.ts';
import { warmUpOf } from './rounds.ts';

const ENROLMENTS = 20;
const ENROLMENT_CONNECTIONS = 4;
const FIRST_GUESS = 8_000;
const BARE = '(b) at half of its full load';
const ALONE = 'check_t at half of the full load';
const BESIDE = `the same, ${ENROLMENTS} enrolments a second beside it`;

type Checking = (bench: Bench, requests: number) => Promise<Prepared>;

/**
 * Measures check_t at half of the full load, where requests arrive evenly and do not wait for earlier answers: alone,
 * and with enrolments beside it. The yardstick (b), at half of its own full load, shows what the machine itself does to
 * the slowest answers.
 */
export async function measureMixedLoad(workplace: Workplace): Promise<void> {
  const { options, load, closing, cluster } = workplace;
  const installation = await openInstallation(workplace, { name: 'mixed' });
  await makeBareTables(installation.client, BARE_TOKENS);
  const bare = await startBareProcess(installation.databaseUrl);
  closing.add(() => bare.stop());
  const bench: Bench = { ...installation, bare, load, folder: cluster.folder };
  const enroller = startLoadProcess();
  closing.add(() => enroller.stop());
  const bar = new ProgressBar('rounds', options.rounds);
  const runs: Record<string, Figures[]> = { [BARE]: [], [ALONE]: [], [BESIDE]: [] };
  const full: Record<string, number[]> = { bare: [], check: [] };
  const enrolments: Figures[] = [];
  const atHalf = async (kind: 'bare' | 'check', prepare: Checking): Promise<() => Promise<Figures>> => {
    const rates = full[kind] ?? [];
    const most = Math.max(FIRST_GUESS, ...rates.map((rate) => rate * 1.6));
    rates.push((await check(bench, options, prepare, most)).perSecond);
    const rate = median(rates) / 2;
    return () => check(bench, options, prepare, rate + 1, rate);
  };
  for (let round = 0; round < options.rounds; round += 1) {
    runs[BARE]?.push(await (await atHalf('bare', checkingBare))());
    const checkAtHalf = await atHalf('check', checking);
    runs[ALONE]?.push(await checkAtHalf());
    const [beside, enrolled] = await Promise.all([
      checkAtHalf(),
      enrol(enroller, installation.servers[0], options.seconds),
    ]);
    runs[BESIDE]?.push(beside);
    enrolments.push(enrolled);
    bar.show(round + 1);
  }
  await publishMixed(workplace, installation, full.check ?? [], runs, enrolments);
}

/** @param rate requests a second; without it, full load */
async function check(
  bench: Bench,
  options: BenchOptions,
  prepare: Checking,
  most: number,
  rate?: number,
): Promise<Figures> {
  const { seconds } = options;
  const warmUp = warmUpOf(seconds);
  const { job, pids } = await prepare(bench, Math.ceil(most * (seconds + warmUp)));
  const connections = Math.max(...options.connections);
  return runJob(
    bench.load,
    { ...job, connections, seconds, warmUp, ...(rate !== undefined && { rate }) },
    pids,
  );
}

async function enrol(enroller: LoadProcess, server: BenchServer, seconds: number): Promise<Figures> {
  const { job, pids } = await enrolling({ servers: [server] });
  const extent = { connections: ENROLMENT_CONNECTIONS, rate: ENROLMENTS, seconds, warmUp: warmUpOf(seconds) };
  return runJob(enroller, { ...job, ...extent }, pids);
}

async function publishMixed(
  { options }: Workplace,
  { client }: MeasuredInstallation,
  full: readonly number[],
  runs: Readonly<Record<string, readonly Figures[]>>,
  enrolments: readonly Figures[],
): Promise<void> {
  const machine = await describeMachine(client);
  const middle = (rounds: readonly Figures[], of: 'perSecond' | 'median' | 'p99'): number =>
    median(rounds.map((run) => run[of]));
  const rows = { ...runs, [`enrolments`]: enrolments };
  await publish(
    {
      name: 'answering-mixed',
      title: 'Answering at half of the full load',
      measures: 'Response times while requests arrive evenly: [Benchmarks](../benchmarks.md#answering).',
      software: `PostgreSQL ${machine.postgres}`,
      sections: [
        `${options.rounds} rounds of ${options.seconds} s each: medians. The full load is ${median(full).toFixed(0)} check_t a second (${range(
          full,
        )
          .map((rate) => rate.toFixed(0))
          .join('–')}) with ${Math.max(...options.connections)} connections.`,
        {
          head: ['requests', 'per second', 'median, ms', 'p99, ms', 'p99 of the rounds, ms', 'p99 / median'],
          rows: Object.entries(rows).map(([name, rounds]) => [
            name,
            middle(rounds, 'perSecond').toFixed(0),
            middle(rounds, 'median').toFixed(2),
            middle(rounds, 'p99').toFixed(2),
            range(rounds.map(({ p99 }) => p99))
              .map((time) => time.toFixed(2))
              .join('–'),
            median(rounds.map((run) => run.p99 / run.median)).toFixed(2),
          ]),
        },
        machineLine(machine),
      ],
      data: { machine, full, runs: rows },
      chart: {
        title: 'Response times of check_t, median to p99',
        unit: 'ms',
        bars: Object.entries(runs).map(([label, rounds], index) => ({
          label: label.slice(0, 40),
          value: middle(rounds, 'median'),
          least: middle(rounds, 'median'),
          most: middle(rounds, 'p99'),
          kind: ['yardstick', 'alone', 'with enrolments'][index] ?? '',
        })),
      },
    },
    options.out,
  );
}
