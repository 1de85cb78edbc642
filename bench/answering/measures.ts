import type { BenchServer } from '../bench-server.ts';
import { processFigures } from '../process-figures.ts';
import { quantile } from '../sample-statistics.ts';
import type { BareProcess } from './bare-process.ts';
import { fillBareChallenges } from './bare-statements.ts';
import type { MeasuredInstallation } from './installation.ts';
import type { LoadJob } from './load-job.ts';
import type { LoadProcess } from './load-process.ts';
import { prepareAnswers, preparePasses, prepareRequests } from './measured-tokens.ts';

/** Rows of the yardsticks' tokens. */
export const BARE_TOKENS = 5_000;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const MILLISECONDS = 1000;

/** The measured time of a run, in seconds, and that in front of it. */
type Extent = Pick<LoadJob, 'warmUp' | 'seconds'>;

/** The installation that a measure runs against. */
export interface Bench extends MeasuredInstallation {
  readonly bare: BareProcess;
  readonly load: LoadProcess;
}

/** The figures of one run. Times are in milliseconds; NaN where they are not known. */
export interface Figures {
  readonly perSecond: number;
  readonly median: number;
  readonly p99: number;
  /** CPU time of the server's processes for one request. */
  readonly serverCpu: number;
  /** CPU time of the load client in a second, in seconds. */
  readonly clientCpu: number;
}

/** A kind of request, measured with one number of connections. */
export interface Measure {
  readonly name: string;
  /** The word for it in `--only`. */
  readonly group: string;
  readonly connections: number;
  /** True if it is a measure to compare with, not one of tankeeper. */
  readonly isYardstick: boolean;
  /** @param requests the most that the run is prepared for */
  run(bench: Bench, extent: Extent, requests: number): Promise<Figures>;
}

/** The requests of a measure, and the processes that answer. */
interface Prepared {
  readonly job: Omit<LoadJob, 'connections' | keyof Extent>;
  readonly pids: readonly number[];
}

type Prepare = (bench: Bench, requests: number) => Promise<Prepared>;

/** @returns a measure by the load client */
function httpMeasure(parts: Omit<Measure, 'run'>, prepare: Prepare): Measure {
  return {
    ...parts,
    run: async (bench, extent, requests) => {
      const { job, pids } = await prepare(bench, requests);
      return runJob(bench.load, { ...job, connections: parts.connections, ...extent }, pids);
    },
  };
}

/** Runs a job. @param pids the processes that answer it */
async function runJob(load: LoadProcess, job: LoadJob, pids: readonly number[]): Promise<Figures> {
  const before = await cpuOf(pids);
  const { milliseconds, seconds, answered, cpu } = await load.run(job);
  const times = [...milliseconds];
  return {
    perSecond: times.length / seconds,
    median: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    serverCpu: (((await cpuOf(pids)) - before) * MILLISECONDS) / answered,
    clientCpu: cpu,
  };
}

/** @returns CPU seconds of the processes so far */
export async function cpuOf(pids: readonly number[]): Promise<number> {
  const figures = await Promise.all(pids.map(processFigures));
  return figures.reduce((sum, { cpu }) => sum + cpu, 0);
}

/** The yardstick that ratios are to. */
export const BARE_GROUP = 'bare';

/** @returns the yardsticks of Express */
export function expressMeasures(connections: number): readonly Measure[] {
  const parts = { connections, isYardstick: true };
  return [
    httpMeasure({ ...parts, name: '(b) Express + pg, two statements', group: BARE_GROUP }, checkingBare),
    httpMeasure({ ...parts, name: 'Express + pg, SELECT 1', group: 'select' }, getting('/select')),
    httpMeasure({ ...parts, name: 'Express, constant', group: 'constant' }, getting('/constant')),
  ];
}

/** @returns check_t, request with an API token, init, which draws QR pictures, and a pass */
export function answeringMeasures(connections: number): readonly Measure[] {
  const parts = { connections, isYardstick: false };
  return [
    httpMeasure({ ...parts, name: 'check_t', group: 'check' }, checking),
    httpMeasure({ ...parts, name: 'request', group: 'request' }, requesting),
    httpMeasure({ ...parts, name: 'init with pictures', group: 'init' }, enrolling),
    httpMeasure({ ...parts, name: 'validate/check, HOTP of a user with two tokens', group: 'hotp' }, passing),
  ];
}

/** Prepares requests of (b). */
const checkingBare = async (
  { bare, client }: Pick<Bench, 'bare' | 'client'>,
  requests: number,
): Promise<Prepared> => {
  await fillBareChallenges(client, requests, BARE_TOKENS);
  const bodies = Array.from({ length: requests }, (_, index) => `transactionid=${index + 1}`);
  return {
    job: { ...posting([bare.baseUrl], '/check', bodies), expected: '"result":true' },
    pids: [bare.pid],
  };
};

/** Prepares check_t, each form with a right response. */
const checking = async (
  { servers, client }: Pick<Bench, 'servers' | 'client'>,
  requests: number,
): Promise<Prepared> => checkingBy(servers, await prepareAnswers(client, requests));

/** @returns check_t by each of these forms */
export function checkingBy(servers: Bench['servers'], forms: readonly string[]): Prepared {
  return {
    job: { ...posting(urlsOf(servers), '/ocra/check_t', forms), expected: '"result": true' },
    pids: servers.map(({ pid }) => pid),
  };
}

/** Prepares request, with an API token. */
export const requesting = async ({
  servers,
  client,
}: Pick<Bench, 'servers' | 'client'>): Promise<Prepared> => ({
  job: {
    ...posting(urlsOf(servers), '/ocra/request', await prepareRequests(client)),
    headers: { ...FORM, authorization: `Bearer ${servers[0].apiToken}` },
    isRepeated: true,
    expected: '"transactionid"',
  },
  pids: servers.map(({ pid }) => pid),
});

/** Prepares /validate/check, each form with a right pass. */
const passing = async (
  { servers, client }: Pick<Bench, 'servers' | 'client'>,
  requests: number,
): Promise<Prepared> => ({
  job: {
    ...posting(urlsOf(servers), '/validate/check', await preparePasses(client, requests)),
    expected: '"value": true',
  },
  pids: servers.map(({ pid }) => pid),
});

/** Prepares the first phase of the roll-out, whose answer has a QR picture. */
const enrolling = ({ servers }: Pick<Bench, 'servers'>): Promise<Prepared> =>
  Promise.resolve({
    job: {
      ...posting(urlsOf(servers), '/admin/init', ['type=ocra&genkey=1&sharedsecret=1']),
      headers: { ...FORM, authorization: `Bearer ${servers[0].apiToken}` },
      isRepeated: true,
      expected: 'data:image/png;base64,',
    },
    pids: servers.map(({ pid }) => pid),
  });

function urlsOf(servers: readonly BenchServer[]): readonly string[] {
  return servers.map(({ baseUrl }) => baseUrl);
}

function posting(
  baseUrls: readonly string[],
  path: string,
  bodies: readonly string[],
): Omit<Prepared['job'], 'expected'> {
  return { baseUrls, method: 'POST', path, headers: FORM, bodies, isRepeated: false };
}

function getting(path: string): Prepare {
  return ({ bare }) =>
    Promise.resolve({
      job: {
        ...posting([bare.baseUrl], path, ['']),
        method: 'GET',
        headers: {},
        isRepeated: true,
        expected: '"result":true',
      },
      pids: [bare.pid],
    });
}
