import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { publishResults } from '../../../bench/result-page.ts';
import { beginRunWith, compareAll, StepCommand } from './challenge-model-run.ts';
import { ChallengeModelServers } from './challenge-model-servers.ts';
import { anyStep } from './challenge-model-steps.ts';

/** More for a night, and the seed of a failure: CHALLENGE_MODEL_RUNS=1000 CHALLENGE_MODEL_SEED=123. */
const RUNS = Number(process.env.CHALLENGE_MODEL_RUNS ?? 40);
const SEED = process.env.CHALLENGE_MODEL_SEED;
/** The most milliseconds of a run on a busy machine, without shrinking. */
const TIMEOUT_MS = 20_000;

let servers: ChallengeModelServers;

beforeAll(async () => {
  servers = await ChallengeModelServers.open();
});
afterAll(() => servers.close());

const command = fc.tuple(anyStep, fc.nat(1)).map(([step, server]) => new StepCommand(step, server));

describe('whatever happens to challenges, one after the other', () => {
  it(
    'clients are told what the contract says, and so say the rows',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.boolean(),
          fc.commands([command], { maxCommands: 50, size: 'max' }),
          async (isAhead, commands) => {
            const begun = await beginRunWith(servers, { isAhead });
            await fc.asyncModelRun(() => begun, commands);
            await compareAll(begun.model, begun.real, { rows: true });
          },
        ),
        { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
      );
      await publishResults({
        name: 'challenge-model',
        title: 'Challenge model',
        command: `CHALLENGE_MODEL_RUNS=${RUNS} npm run test:campaigns -- tests/campaigns/challenge-model/challenge-model.test.ts`,
        measures:
          'Random steps, one after the other, against a model: [Faults](../faults.md#challenge-model).',
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
