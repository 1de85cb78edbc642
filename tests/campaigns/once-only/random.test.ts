import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { publishResults } from '../../../bench/result-page.ts';
import { campaignSeed, shortOrLong } from '../../support/campaign.ts';
import { anyInterleavedRun, anySequentialRun, runInterleaved, runSequential } from './random-run.ts';
import { TwoServers } from './two-servers.ts';

const SEQUENTIAL_RUNS = shortOrLong(12, 400);
const INTERLEAVED_RUNS = shortOrLong(10, 400);
const SEED = campaignSeed(3);
/** The most milliseconds of a run on a busy machine, without shrinking. */
const TIMEOUT_MS = 20_000;

let servers: TwoServers;
const tally = new Map<string, number>();
let operations = 0;

beforeAll(async () => {
  servers = await TwoServers.open();
});

afterAll(async () => {
  await servers.close();
  await publishResults({
    name: 'random-histories',
    title: 'Random histories',
    command: 'CAMPAIGN=long npm run test:campaigns -- tests/campaigns/once-only/random.test.ts',
    measures:
      'Random operations on two servers, one after the other and at once, against a model: [Faults](../faults.md#once-only).',
    sections: [
      `${SEQUENTIAL_RUNS} sequential and ${INTERLEAVED_RUNS} interleaved runs, ${operations} operations.`,
      { head: ['operation', 'times'], rows: [...tally].sort() },
    ],
  });
});

function count(): void {
  for (const { op, outcome } of servers.client.records) {
    tally.set(`${op}: ${outcome}`, (tally.get(`${op}: ${outcome}`) ?? 0) + 1);
    operations += 1;
  }
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
