import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { campaignSeed, shortOrLong } from '../../support/campaign.ts';
import { anyInterleavedRun, anySequentialRun, runInterleaved, runSequential } from './random-run.ts';
import { TwoServers } from './two-servers.ts';

const SEQUENTIAL_RUNS = shortOrLong(12, 60);
const INTERLEAVED_RUNS = shortOrLong(10, 60);
const SEED = campaignSeed(3);
/** The most milliseconds of a run on a busy machine, without shrinking. */
const TIMEOUT_MS = 20_000;

let servers: TwoServers;
let operations = 0;

beforeAll(async () => {
  servers = await TwoServers.open();
});

afterAll(() => servers.close());

function count(): void {
  operations += servers.client.records.length;
}

describe(`whatever happens to challenges on two servers (seed ${SEED})`, () => {
  it(
    'one after the other: clients are told what the contract says, and so say the rows',
    async () => {
      const property = fc.asyncProperty(anySequentialRun, (run) =>
        runSequential(servers, run).finally(count),
      );
      await fc.assert(property, { numRuns: SEQUENTIAL_RUNS, seed: SEED });
      expect(operations).toBeGreaterThan(SEQUENTIAL_RUNS);
    },
    600_000 + SEQUENTIAL_RUNS * TIMEOUT_MS,
  );

  it(
    'at once: some order of it, one after the other, explains what each was told and where it ended',
    async () => {
      const before = operations;
      const property = fc.asyncProperty(anyInterleavedRun, (run) =>
        runInterleaved(servers, run).finally(count),
      );
      await fc.assert(property, { numRuns: INTERLEAVED_RUNS, seed: SEED });
      expect(operations).toBeGreaterThan(before + INTERLEAVED_RUNS);
    },
    600_000 + INTERLEAVED_RUNS * TIMEOUT_MS,
  );
});
