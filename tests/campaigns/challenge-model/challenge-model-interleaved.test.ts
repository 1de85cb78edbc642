import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { publishResults } from '../../../bench/result-page.ts';
import { anyInterleavedRun, runInterleaved } from './challenge-model-lanes.ts';
import { ChallengeModelServers } from './challenge-model-servers.ts';

/** More for a night, and the seed of a failure: CHALLENGE_MODEL_RUNS=1000 CHALLENGE_MODEL_SEED=123. */
const RUNS = Number(process.env.CHALLENGE_MODEL_RUNS ?? 25);
const SEED = process.env.CHALLENGE_MODEL_SEED;
/** The most milliseconds of a run on a busy machine, without shrinking. */
const TIMEOUT_MS = 20_000;

let servers: ChallengeModelServers;

beforeAll(async () => {
  servers = await ChallengeModelServers.open();
});
afterAll(() => servers.close());

describe('whatever several clients do at once, over two servers', () => {
  it(
    'some order of it, one after the other, explains what each was told and where it ended',
    async () => {
      await fc.assert(
        fc.asyncProperty(anyInterleavedRun, (run) => runInterleaved(servers, run)),
        { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
      );
      await publishResults({
        name: 'challenge-model-interleaved',
        title: 'Challenge model, interleaved',
        command: `CHALLENGE_MODEL_RUNS=${RUNS} npm run test:campaigns -- tests/campaigns/challenge-model/challenge-model-interleaved.test.ts`,
        measures:
          'Random steps of several clients at once against a model: [Faults](../faults.md#challenge-model).',
        sections: [
          `${RUNS} runs, no difference.`,
          { head: ['step', 'times'], rows: [...servers.tally].sort() },
        ],
      });
      expect(RUNS).toBeGreaterThan(0);
    },
    600_000 + RUNS * TIMEOUT_MS,
  );
});
