import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { CountModel } from './count-model.ts';
import { anyRun } from './count-model-changes.ts';
import { campaignSeed, shortOrLong } from '../../support/campaign.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';

const RUNS = shortOrLong(60, 300);
/** A failure names it, for CAMPAIGN_SEED. */
const SEED = campaignSeed(20_261_125);
/** The most milliseconds of a run on a busy machine, without shrinking. */
const TIMEOUT_MS = 10_000;
/** Of the 30 kinds of steps, as many were possible at least once. */
const DONE = 25;

let model: CountModel;
afterAll(() => model.close());
const test = databaseOfTests();
beforeAll(async () => {
  model = await CountModel.open(test.url);
});

describe('whatever several writers do at once', () => {
  it(
    'every monitoring answer for every choice of realms equals a recount',
    async () => {
      await fc.assert(
        fc.asyncProperty(anyRun, (run) => model.run(run)),
        { numRuns: RUNS, seed: SEED },
      );
      expect(model.done.size).toBeGreaterThan(DONE);
    },
    60_000 + RUNS * TIMEOUT_MS,
  );
});
