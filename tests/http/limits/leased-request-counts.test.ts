import { describe, expect, it } from '@jest/globals';
import {
  LeasedRequestCounts,
  RequestLeases,
  requestShares,
} from '../../../src/http/limits/leased-request-counts.ts';

/** Workers that share a limit, with a clock that the test sets. */
class Workers {
  now = 1_000_000;
  asked = 0;
  readonly counts: readonly LeasedRequestCounts[];

  constructor(most: number, workers: number) {
    const clock = { now: () => new Date(this.now) };
    const shares = requestShares(most, workers);
    const leases = new RequestLeases({ clock, shares });
    this.counts = Array.from(
      { length: workers },
      () =>
        new LeasedRequestCounts({
          clock,
          shares,
          lease: async (network) => {
            this.asked += 1;
            await Promise.resolve();
            return leases.lease(network);
          },
        }),
    );
  }

  #count(worker: number, client: string): Promise<number> {
    const counts = this.counts[worker];
    return counts === undefined ? Promise.reject(new Error(`no worker ${worker}`)) : counts.count(client);
  }

  /** @returns the number of admitted requests of so many, given to the workers in turn */
  async admitted(requests: number, client = 'x', workers = this.counts.length): Promise<number> {
    const waits = await Promise.all(
      Array.from({ length: requests }, (_, index) => this.#count(index % workers, client)),
    );
    return waits.filter((wait) => wait === 0).length;
  }
}

const LIMITS = [1, 2, 7, 20, 100, 500, 999].flatMap((most) =>
  [2, 3, 4, 16].map((workers) => ({ most, workers })),
);

describe('the requests of a client over several workers', () => {
  it.each(LIMITS)(
    'are $most of $workers workers, exactly, where they come to all alike',
    async ({ most, workers }) => {
      expect(await new Workers(most, workers).admitted(3 * most + 64)).toBe(most);
    },
  );

  it.each(LIMITS)(
    'are three quarters of $most at least where one of $workers workers gets them all',
    async (one) => {
      const workers = new Workers(one.most, one.workers);
      const elsewhere = await workers.admitted(0);
      const here = await workers.admitted(3 * one.most + 64, 'x', 1);
      expect(here + elsewhere).toBeLessThanOrEqual(one.most);
      expect(here).toBeGreaterThanOrEqual((one.most * 3) / 4);
    },
  );

  it('begin anew with the next second of the clock, and tell how long that is', async () => {
    const workers = new Workers(20, 2);
    workers.now = 1_000_300;
    expect(await workers.admitted(50)).toBe(20);
    expect(await workers.counts[0]?.count('x')).toBe(700);
    expect(await workers.admitted(5, 'y')).toBe(5);
    workers.now = 1_001_000;
    expect(await workers.admitted(50)).toBe(20);
  });

  it('cost no question while there are few of them', async () => {
    const workers = new Workers(500, 4);
    expect(await workers.admitted(60)).toBe(60);
    expect(workers.asked).toBe(0);
    // What the other workers have leased and do not need is lost to a client near its limit.
    expect(await workers.admitted(440)).toBeGreaterThanOrEqual(400);
    expect(workers.asked).toBeLessThan(40);
  });
});
