import type { BenchServer } from '../bench-server.ts';
import { processFigures } from '../process-figures.ts';
import { quantile } from '../sample-statistics.ts';
import { fillBareChallenges } from './bare-statements.ts';
import { type ForkedProgram, runLoad } from './forked-program.ts';
import type { MeasuredInstallation } from './installation.ts';
import type { LoadJob, LoadResult } from './load-job.ts';
import { prepareAnswers, preparePasses, prepareRequests } from './measured-tokens.ts';

/** Rows of the yardsticks' tokens. */
export const BARE_TOKENS = 5_000;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const MILLISECONDS = 1000;

/** The measured time of a run, in seconds, and that in front of it. */
type Extent = Pick<LoadJob, 'warmUp' | 'seconds'>;

/** What answers: the service, or the bare Express server of the yardsticks. */
type Answering = Pick<BenchServer, 'baseUrl' | 'pid'>;

/** The installation that a measure runs against. */
export interface Bench extends MeasuredInstallation {
  readonly bare: Answering;
  readonly load: ForkedProgram;
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
function httpMeasure(group: string, name: string, connections: number, prepare: Prepare): Measure {
  return {
    group,
    name,
    connections,
    run: async (bench, extent, requests) => {
      const { job, pids } = await prepare(bench, requests);
      const before = await cpuOf(pids);
      const result = await runLoad(bench.load, { ...job, connections, ...extent });
      return figuresOf(result, (await cpuOf(pids)) - before);
    },
  };
}

/** @param serverCpu CPU seconds of the processes that gave the answers */
export function figuresOf(
  { milliseconds, seconds, answered, cpu }: Pick<LoadResult, 'milliseconds' | 'seconds' | 'answered' | 'cpu'>,
  serverCpu: number,
): Figures {
  return {
    perSecond: milliseconds.length / seconds,
    median: quantile([...milliseconds], 0.5),
    p99: quantile([...milliseconds], 0.99),
    serverCpu: (serverCpu * MILLISECONDS) / answered,
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
  return [
    httpMeasure(BARE_GROUP, '(b) Express + pg, two statements', connections, checkingBare),
    httpMeasure('select', 'Express + pg, SELECT 1', connections, getting('/select')),
    httpMeasure('constant', 'Express, constant', connections, getting('/constant')),
  ];
}

/** @returns check_t, request with an API token, init, which draws QR pictures, and a pass */
export function answeringMeasures(connections: number): readonly Measure[] {
  return [
    httpMeasure('check', 'check_t', connections, checking),
    httpMeasure('request', 'request', connections, requesting),
    httpMeasure('init', 'init with pictures', connections, enrolling),
    httpMeasure('hotp', 'validate/check, HOTP of a user with two tokens', connections, passing),
  ];
}

/** Prepares requests of (b). */
async function checkingBare({ bare, client }: Bench, requests: number): Promise<Prepared> {
  await fillBareChallenges(client, requests, BARE_TOKENS);
  const bodies = Array.from({ length: requests }, (_, index) => `transactionid=${index + 1}`);
  return posting([bare], '/check', bodies, '"result":true');
}

/** Prepares check_t, each form with a right response. */
async function checking({ servers, client }: Bench, requests: number): Promise<Prepared> {
  return checkingBy(servers, await prepareAnswers(client, requests));
}

/** @returns check_t by each of these forms */
export function checkingBy(servers: Bench['servers'], forms: readonly string[]): Prepared {
  return posting(servers, '/ocra/check_t', forms, '"result": true');
}

/** Prepares request, with an API token. */
export async function requesting({ servers, client }: Bench): Promise<Prepared> {
  return repeating(servers, '/ocra/request', await prepareRequests(client), '"transactionid"');
}

/** Prepares /validate/check, each form with a right pass. */
async function passing({ servers, client }: Bench, requests: number): Promise<Prepared> {
  return posting(servers, '/validate/check', await preparePasses(client, requests), '"value": true');
}

/** Prepares the first phase of the roll-out, whose answer has a QR picture. */
function enrolling({ servers }: Bench): Promise<Prepared> {
  const forms = ['type=ocra&genkey=1&sharedsecret=1'];
  return Promise.resolve(repeating(servers, '/admin/init', forms, 'data:image/png;base64,'));
}

/** @returns each form once */
function posting(
  servers: readonly Answering[],
  path: string,
  bodies: readonly string[],
  expected: string,
): Prepared {
  const baseUrls = servers.map(({ baseUrl }) => baseUrl);
  return {
    job: { baseUrls, method: 'POST', path, headers: FORM, bodies, isRepeated: false, expected },
    pids: servers.map(({ pid }) => pid),
  };
}

/** @returns the forms again and again, with an API token */
function repeating(
  servers: Bench['servers'],
  path: string,
  bodies: readonly string[],
  expected: string,
): Prepared {
  const { job, pids } = posting(servers, path, bodies, expected);
  const headers = { ...FORM, authorization: `Bearer ${servers[0].apiToken}` };
  return { job: { ...job, headers, isRepeated: true }, pids };
}

function getting(path: string): Prepare {
  return ({ bare }) => {
    const { job, pids } = posting([bare], path, [''], '"result":true');
    return Promise.resolve({ job: { ...job, method: 'GET', headers: {}, isRepeated: true }, pids });
  };
}
