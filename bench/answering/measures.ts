import type pg from 'pg';

import type { BenchServer } from '../bench-server.ts';
import type { BareProcess } from './bare-process.ts';
import { fillBareChallenges } from './bare-statements.ts';
import type { LoadJob } from './load-job.ts';
import { prepareAnswers, prepareRequests } from './measured-tokens.ts';

/** Rows of the yardsticks' tokens. */
export const BARE_TOKENS = 5_000;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** The parts of a job that do not depend on the measure. */
export type Extent = Pick<LoadJob, 'warmUp' | 'seconds'>;

/** What a measure runs against. */
export interface Bench {
  readonly server: BenchServer;
  readonly bare: BareProcess;
  readonly client: pg.Client;
}

/** A kind of request, measured with one number of connections. */
export interface Measure {
  /** `check_t`, as it stands in the table and in `--only`. */
  readonly name: string;
  readonly connections: number;
  /** Makes what the requests need. @param requests the most that the run will send */
  prepare(bench: Bench, requests: number): Promise<Omit<LoadJob, 'connections' | keyof Extent>>;
}

export const BARE_CHECK = 'two statements';

/** @returns the yardsticks of Express for these numbers of connections */
export function expressMeasures(connections: readonly number[]): readonly Measure[] {
  return connections.flatMap((number) => [
    { name: 'constant', connections: number, prepare: getting('/constant') },
    { name: 'SELECT 1', connections: number, prepare: getting('/select') },
    {
      name: BARE_CHECK,
      connections: number,
      prepare: async ({ bare, client }, requests) => {
        await client.query(fillBareChallenges(requests, BARE_TOKENS));
        const bodies = Array.from({ length: requests }, (_, index) => `transactionid=${index + 1}`);
        return { ...posting(bare.baseUrl, '/check', bodies), expected: '"result":true' };
      },
    },
  ]);
}

/** @returns check_t and request for these numbers of connections */
export function answeringMeasures(connections: readonly number[]): readonly Measure[] {
  return connections.flatMap((number) => [
    { name: 'check_t', connections: number, prepare: checking },
    {
      name: 'request',
      connections: number,
      prepare: async ({ server, client }) => ({
        ...posting(server.baseUrl, '/ocra/request', await prepareRequests(client)),
        headers: { ...FORM, authorization: `Bearer ${server.apiToken}` },
        isRepeated: true,
        expected: '"transactionid"',
      }),
    },
  ]);
}

/** Prepares right responses to check_t. */
const checking: Measure['prepare'] = async ({ server, client }, requests) => ({
  ...posting(server.baseUrl, '/ocra/check_t', await prepareAnswers(client, requests)),
  expected: '"result": true',
});

function posting(
  baseUrl: string,
  path: string,
  bodies: readonly string[],
): Omit<LoadJob, 'connections' | 'expected' | keyof Extent> {
  return { baseUrl, method: 'POST', path, headers: FORM, bodies, isRepeated: false };
}

function getting(path: string): Measure['prepare'] {
  return ({ bare }) =>
    Promise.resolve({
      ...posting(bare.baseUrl, path, ['']),
      method: 'GET',
      headers: {},
      isRepeated: true,
      expected: '"result":true',
    });
}
