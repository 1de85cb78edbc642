import { ProgressBar } from '../progress-bar.ts';
import { processFigures } from '../process-figures.ts';
import { type MeasuredInstallation, openInstallation, type Workplace } from './installation.ts';
import { describeMachine, machineLine } from './machine.ts';
import { checking, requesting, runJob } from './measures.ts';
import { range } from '../sample-statistics.ts';
import { publish } from './publication.ts';

const MEBIBYTE = 2 ** 20;
const SAMPLE_EVERY = 1000;
/** Seconds of one run; challenges for the next one are made between two. */
const RUN_SECONDS = 10;
const FIRST_GUESS = 8_000;
/** Samples in front of this share of the time belong to the start. */
const SETTLED = 1 / 2;

/** Resident memory at one moment. */
interface Sample {
  /** Seconds since the load began. */
  readonly at: number;
  /** MiB of each process. */
  readonly processes: readonly number[];
}

/** Samples the resident memory of the server while check_t and request take turns at full load. */
export async function measureSoak(workplace: Workplace, seconds: number): Promise<void> {
  const installation = await openInstallation(workplace, { name: 'soak' });
  const [server] = installation.servers;
  const begun = performance.now();
  const samples: Sample[] = [];
  const sample = async (): Promise<void> => {
    const at = (performance.now() - begun) / 1000;
    const { rss } = await processFigures(server.pid);
    samples.push({ at, processes: rss.map((bytes) => bytes / MEBIBYTE) });
  };
  await sample();
  const sampling = setInterval(() => void sample(), SAMPLE_EVERY);
  const rates = await fullLoad(workplace, installation, seconds).finally(() => {
    clearInterval(sampling);
  });
  await sample();
  await publishSoak(workplace, installation, seconds, samples, rates);
}

/** @returns requests a second of each run */
async function fullLoad(
  { load, options }: Workplace,
  installation: MeasuredInstallation,
  seconds: number,
): Promise<readonly number[]> {
  const connections = Math.max(...options.connections);
  const runs = Math.ceil(seconds / RUN_SECONDS);
  const bar = new ProgressBar('load', runs);
  const rates: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const most = Math.ceil(Math.max(FIRST_GUESS, ...rates.map((rate) => rate * 1.6)) * RUN_SECONDS);
    const { job, pids } = await (run % 2 === 0 ? checking(installation, most) : requesting(installation));
    const { perSecond } = await runJob(load, { ...job, connections, warmUp: 0, seconds: RUN_SECONDS }, pids);
    rates.push(perSecond);
    bar.show(run + 1);
  }
  return rates;
}

async function publishSoak(
  { options }: Workplace,
  { client }: MeasuredInstallation,
  seconds: number,
  samples: readonly Sample[],
  rates: readonly number[],
): Promise<void> {
  const machine = await describeMachine(client);
  const largest = ({ processes }: Sample): number => Math.max(...processes);
  const minutes = byMinute(samples);
  const settled = samples.slice(Math.floor(samples.length * SETTLED)).map(largest);
  await publish(
    {
      name: 'answering-soak',
      title: 'Memory under full load',
      measures: 'Resident memory of the server: [Benchmarks](../benchmarks.md#answering).',
      software: `PostgreSQL ${machine.postgres}`,
      sections: [
        `${seconds} s of check_t and request in turns, with ${Math.max(...options.connections)} connections.`,
        `Largest process in the first minute: ${spread((minutes.get(0) ?? []).map(largest))} MiB, in the second half: ${spread(settled)} MiB.`,
        machineLine(machine),
      ],
      data: { machine, samples, rates },
      chart: {
        title: 'Largest process, by minute',
        unit: 'MiB',
        bars: [...minutes].map(([minute, some]) => {
          const sizes = some.map(largest);
          const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
          return { label: `minute ${minute + 1}`, value: most, least, most, kind: 'resident memory' };
        }),
      },
    },
    options.out,
  );
}

function spread(sizes: readonly number[]): string {
  return range(sizes)
    .map((size) => size.toFixed(0))
    .join('–');
}

function byMinute(samples: readonly Sample[]): ReadonlyMap<number, readonly Sample[]> {
  const minutes = new Map<number, Sample[]>();
  for (const sample of samples) {
    const minute = Math.floor(sample.at / 60);
    minutes.set(minute, [...(minutes.get(minute) ?? []), sample]);
  }
  return minutes;
}
