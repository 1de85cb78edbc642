import type { BenchServer } from '../bench-server.ts';
import { ProgressBar } from '../progress-bar.ts';
import { median, range } from '../sample-statistics.ts';
import { type MeasuredInstallation, openInstallation, type Workplace } from './installation.ts';
import { startLoadProcess, type LoadProcess } from './load-process.ts';
import { describeMachine, machineLine } from './machine.ts';
import { checking, enrolling, type Figures, runJob } from './measures.ts';
import { publish } from './publication.ts';
import { warmUpOf } from './rounds.ts';

const ENROLMENTS = 20;
const ENROLMENT_CONNECTIONS = 4;
const FIRST_GUESS = 8_000;
const ALONE = 'check_t at half of the full load';
const BESIDE = `the same, ${ENROLMENTS} enrolments a second beside it`;

/**
 * Measures check_t at half of the full load, where requests arrive evenly and do not wait for earlier answers: alone,
 * and with enrolments beside it.
 */
export async function measureMixedLoad(workplace: Workplace): Promise<void> {
  const { options, load, closing } = workplace;
  const installation = await openInstallation(workplace, { name: 'mixed' });
  const enroller = startLoadProcess();
  closing.add(() => enroller.stop());
  const connections = Math.max(...options.connections);
  const bar = new ProgressBar('rounds', options.rounds);
  const runs: Record<string, Figures[]> = { [ALONE]: [], [BESIDE]: [] };
  const full: number[] = [];
  const enrolments: Figures[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const most = Math.max(FIRST_GUESS, ...full.map((rate) => rate * 1.6));
    full.push((await check(load, installation, { connections, seconds: options.seconds, most })).perSecond);
    const rate = median(full) / 2;
    const extent = { connections, seconds: options.seconds, most: rate + 1, rate };
    runs[ALONE]?.push(await check(load, installation, extent));
    const [beside, enrolled] = await Promise.all([
      check(load, installation, extent),
      enrol(enroller, installation.servers[0], options.seconds),
    ]);
    runs[BESIDE]?.push(beside);
    enrolments.push(enrolled);
    bar.show(round + 1);
  }
  await publishMixed(workplace, installation, full, runs, enrolments);
}

async function check(
  load: LoadProcess,
  installation: MeasuredInstallation,
  { connections, seconds, most, rate }: { connections: number; seconds: number; most: number; rate?: number },
): Promise<Figures> {
  const warmUp = warmUpOf(seconds);
  const { job, pids } = await checking(installation, Math.ceil(most * (seconds + warmUp)));
  return runJob(load, { ...job, connections, seconds, warmUp, ...(rate !== undefined && { rate }) }, pids);
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
      ...{ name: 'answering-mixed', title: 'Answering at half of the full load' },
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
            ...[name, middle(rounds, 'perSecond').toFixed(0), middle(rounds, 'median').toFixed(2)],
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
        ...{ title: 'Response times of check_t, median to p99', unit: 'ms' },
        bars: Object.entries(runs).map(([label, rounds], index) => ({
          ...{ label: label.slice(0, 40), value: middle(rounds, 'median'), least: middle(rounds, 'median') },
          ...{ most: middle(rounds, 'p99'), kind: index === 0 ? 'alone' : 'with enrolments' },
        })),
      },
    },
    options.out,
  );
}
