import { fillClosedChallenges } from '../challenge-fill.ts';
import { issuedMeasure } from './issued-answers.ts';
import { processFigures } from '../process-figures.ts';
import { benchCommand, publishResults, type ResultTable } from '../result-page.ts';
import { median, range } from '../sample-statistics.ts';
import { makeBareTables } from './bare-statements.ts';
import { forkProgram } from './forked-program.ts';
import { openInstallation, type Workplace } from './installation.ts';
import { machineLine } from './machine.ts';
import { MEASURED_TOKENS } from './measured-tokens.ts';
import {
  answeringMeasures,
  BARE_GROUP,
  BARE_TOKENS,
  type Bench,
  expressMeasures,
  type Figures,
  type Measure,
} from './measures.ts';
import { type RoundFigures, runRounds } from './rounds.ts';

const MEBIBYTE = 2 ** 20;
/** Of earlier days. Beside an empty table, PostgreSQL would plan to read it whole, and keep that plan while it grows. */
const CLOSED_CHALLENGES = 100_000;
const MEASURES = 'Requests a second beside yardsticks: [Benchmarks](../benchmarks.md#answering).';

/** Measures requests a second beside the yardsticks, in alternation. */
export async function compareRates(workplace: Workplace): Promise<void> {
  const { options } = workplace;
  const bench = await openBench(workplace, 'answering', 1);
  const measures = options.connections
    .flatMap((number) => [...expressMeasures(number), ...answeringMeasures(number), issuedMeasure(number)])
    .filter(({ group }) => options.only?.includes(group) ?? true);
  const figures = await runRounds(bench, measures, options);
  const { rss } = await processFigures(bench.servers[0].pid);
  const memory = rss.map((bytes) => `${(bytes / MEBIBYTE).toFixed(0)} MiB`);
  await publishRates(workplace, bench, 'answering', 'Answering', figures, [
    `Resident memory of the server afterwards: ${memory.join(' + ')}.`,
  ]);
}

/** Measures check_t and request with several server processes on one database. */
export async function compareServers(workplace: Workplace, counts: readonly number[]): Promise<void> {
  const { options } = workplace;
  const bench = await openBench(workplace, 'servers', Math.max(...counts));
  const connections = Math.max(...options.connections);
  const measures = [
    ...expressMeasures(connections).filter(({ group }) => group === BARE_GROUP),
    ...counts.flatMap((count) =>
      answeringMeasures(connections)
        .filter(({ group }) => group === 'check' || group === 'request')
        .map((measure) => onServers(measure, count)),
    ),
  ];
  const figures = await runRounds(bench, measures, options);
  await publishRates(workplace, bench, 'answering-servers', 'Answering by several servers', figures, []);
}

/** @returns the same, with the connections spread over so many servers */
function onServers(measure: Measure, count: number): Measure {
  return {
    ...measure,
    name: `${measure.name}, ${count} ${count === 1 ? 'server' : 'servers'}`,
    run: (bench, extent, requests) => {
      const [first, ...others] = bench.servers;
      return measure.run({ ...bench, servers: [first, ...others.slice(0, count - 1)] }, extent, requests);
    },
  };
}

async function openBench(workplace: Workplace, name: string, servers: number): Promise<Bench> {
  const installation = await openInstallation(workplace, name, servers);
  await fillClosedChallenges(installation.client, CLOSED_CHALLENGES, MEASURED_TOKENS);
  await makeBareTables(installation.client, BARE_TOKENS);
  const program = forkProgram(new URL('./bare-server.ts', import.meta.url), [installation.databaseUrl]);
  workplace.closing.add(() => program.stop());
  const bare = { baseUrl: `http://127.0.0.1:${String(await program.message())}`, pid: program.pid };
  return { ...installation, bare, load: workplace.load };
}

async function publishRates(
  { cluster, options }: Workplace,
  { client }: Bench,
  name: string,
  title: string,
  figures: RoundFigures,
  remarks: readonly string[],
): Promise<void> {
  const busiest = Math.max(...[...figures.values()].flat().map(({ clientCpu }) => clientCpu || 0));
  const settings = Object.entries(options.environment).map(([variable, value]) => `${variable}=${value}`);
  await publishResults({
    name,
    command: benchCommand('bench'),
    title,
    measures: MEASURES,
    software: `PostgreSQL ${cluster.version}`,
    sections: [
      `${options.rounds} rounds of ${options.seconds} s each, in alternation: medians, with least and greatest round.`,
      ratesTable(figures),
      [
        ...remarks,
        `The load client used at most ${(busiest * 100).toFixed(0)} % of a core.`,
        await machineLine(client),
        ...(settings.length === 0 ? [] : [`Settings of the server: ${settings.join(', ')}.`]),
      ].join('\n'),
    ],
  });
}

function ratesTable(figures: RoundFigures): ResultTable {
  return {
    head: [
      'request',
      'connections',
      'per second',
      'least–greatest',
      'of (b)',
      'median, ms',
      'p99, ms',
      'CPU of the server, ms a request',
    ],
    rows: [...figures].map(([measure, rounds]) => {
      const rates = rounds.map(({ perSecond }) => perSecond);
      return [
        measure.name,
        measure.connections,
        middle(rates, 0),
        range(rates)
          .map((rate) => rate.toFixed(0))
          .join('–'),
        ...[
          ratiosToBare(measure, rounds, figures),
          rounds.map((run) => run.median),
          rounds.map(({ p99 }) => p99),
          rounds.map(({ serverCpu }) => serverCpu),
        ].map((values) => middle(values, 2)),
      ];
    }),
  };
}

/** @returns the median, as it stands in a table */
function middle(values: readonly number[], digits: number): string {
  const value = median(values);
  return Number.isNaN(value) ? '–' : value.toFixed(digits);
}

/** @returns the ratios by round to (b) with the same connections; with the most where there is none */
function ratiosToBare(
  measure: Measure,
  rounds: readonly Figures[],
  figures: RoundFigures,
): readonly number[] {
  const bare = [...figures].filter(([{ group }]) => group === BARE_GROUP);
  const [, base] = bare.find(([{ connections }]) => connections === measure.connections) ??
    bare.at(-1) ?? [measure, []];
  return rounds.map(({ perSecond }, round) => perSecond / (base[round]?.perSecond ?? Number.NaN));
}
