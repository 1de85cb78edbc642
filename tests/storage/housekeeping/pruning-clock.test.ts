import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PruningClock } from '../../../src/storage/housekeeping/pruning-clock.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';

const START = Date.parse('2026-11-20T12:00:00Z');
const DAY = 86_400_000;

let test: TestDatabase;
let now: number;
let offset: number;

/** That of a server which was started a moment ago: it remembers nothing by itself. */
function pruningClock(): PruningClock {
  return new PruningClock({ database: test.database, clock: { now: () => new Date(now), offset } });
}

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

beforeEach(async () => {
  await test.database.knex('clock_state').delete();
  [now, offset] = [START, 0];
});

describe('the time by which rows are removed', () => {
  it('is that of the service, while it goes on', async () => {
    for (const later of [0, 1_000, DAY, 2 * DAY, 2 * DAY - 60_000]) {
      now = START + later;
      expect(await pruningClock().time()).toEqual(new Date(now));
    }
  });

  it.each([DAY + 1_000, -DAY - 1_000, 1_000 * DAY])(
    'is in doubt after the clock of the database has jumped by %i ms, on any server, until it is set right',
    async (jump) => {
      await pruningClock().time();
      now += jump;
      for (const later of [0, 500, Math.sign(jump) * 30 * DAY]) {
        now += later;
        await expect(pruningClock().time()).rejects.toMatchObject({
          code: 'clock.doubtful',
          message: expect.stringMatching(
            /last seen at 2026-11-20T12:00:00.000Z.*housekeeping run --confirm-time/,
          ),
        });
      }
      now = START + 3_600_000;
      expect(await pruningClock().time()).toEqual(new Date(now));
    },
  );

  it('is taken for right when an operator confirms it, as after a week without a server', async () => {
    await pruningClock().time();
    now += 7 * DAY;
    await pruningClock().confirm();
    expect(await pruningClock().time()).toEqual(new Date(now));
    now += DAY / 2;
    expect(await pruningClock().time()).toEqual(new Date(now));
  });

  it.each([DAY + 1_000, -DAY - 1_000])(
    "is in doubt on a machine whose clock is %i ms from the database's, whatever an operator confirms",
    async (difference) => {
      await pruningClock().time();
      offset = difference;
      const refused = {
        code: 'clock.doubtful',
        message: expect.stringContaining('the clock of this machine is 86401 s'),
      };
      await expect(pruningClock().time()).rejects.toMatchObject(refused);
      await expect(pruningClock().confirm()).rejects.toMatchObject(refused);
      offset = DAY;
      expect(await pruningClock().time()).toEqual(new Date(now));
    },
  );
});
