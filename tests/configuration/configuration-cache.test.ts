import { describe, expect, it } from '@jest/globals';
import type { Configuration } from '../../src/configuration/configuration.ts';
import { ConfigurationCache, ShortLivedRead } from '../../src/configuration/configuration-store.ts';
import { type Deferred, deferred } from '../support/values/until.ts';
import { configurationOf } from '../support/values/configuration-value.ts';

/** A cache over loads that end when they are told to. */
function cacheWithLoads(): { cache: ConfigurationCache; loads: Deferred<Configuration>[] } {
  const loads: Deferred<Configuration>[] = [];
  const cache = new ConfigurationCache(() => {
    const load = deferred<Configuration>();
    loads.push(load);
    return load.promise;
  });
  return { cache, loads };
}

const at = (revision: bigint): Configuration => configurationOf({ revision });
/** Lets everything that can go on go on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the configuration that is kept', () => {
  it('is loaded once for all who ask at the same time', async () => {
    const { cache, loads } = cacheWithLoads();
    const requested = Promise.all([cache.at(at(1n)), cache.at(at(1n)), cache.at(at(1n))]);
    loads[0]?.resolve(at(1n));
    const configurations = await requested;
    expect(loads).toHaveLength(1);
    expect(new Set(configurations).size).toBe(1);
    expect(await cache.at(at(1n))).toBe(configurations[0]);
    expect(loads).toHaveLength(1);
  });

  it('is loaded once more for those who know of a change that the load under way has not seen', async () => {
    const { cache, loads } = cacheWithLoads();
    const early = cache.at(at(1n));
    const late = Promise.all([cache.at(at(2n)), cache.at(at(2n))]);
    loads[0]?.resolve(at(1n));
    expect((await early).revision).toBe(1n);
    await settle();
    expect(loads).toHaveLength(2);
    loads[1]?.resolve(at(2n));
    expect((await late).map(({ revision }) => revision)).toEqual([2n, 2n]);
    expect(cache.kept?.revision).toBe(2n);
  });

  it('is loaded again when the revision is the same but of another time', async () => {
    const { cache, loads } = cacheWithLoads();
    const first = cache.at(at(1n));
    loads[0]?.resolve(at(1n));
    await first;
    const restored = { ...at(1n), changedAt: new Date(0) };
    const second = cache.at(restored);
    loads[1]?.resolve(restored);
    expect(await second).toBe(restored);
  });

  it('is loaded again after a failure, which reaches those who waited', async () => {
    const { cache, loads } = cacheWithLoads();
    const failed = cache.at(at(1n));
    loads[0]?.reject(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    const next = cache.at(at(1n));
    loads[1]?.resolve(at(1n));
    expect((await next).revision).toBe(1n);
  });
});

const WINDOW = 500;

/** A confirmation over reads that end when they are told to, at a time that passes when it is told to. */
class World {
  readonly reads: Deferred<Configuration>[] = [];
  readonly confirmation: ShortLivedRead<Configuration>;
  time = 1_000;

  constructor(window = WINDOW) {
    this.confirmation = new ShortLivedRead({
      read: () => {
        const read = deferred<Configuration>();
        this.reads.push(read);
        return read.promise;
      },
      window,
      elapsed: () => this.time,
    });
  }

  current(): Promise<Configuration> {
    return this.confirmation.current();
  }

  /** Ends a read, and lets all that waits for it go on. */
  async end(read: number, revision: bigint): Promise<void> {
    this.reads[read]?.resolve(at(revision));
    await settle();
  }

  async fail(read: number): Promise<void> {
    this.reads[read]?.reject(new Error('away'));
    await settle();
  }
}

const revisionOf = async (configuration: Promise<Configuration>): Promise<bigint> =>
  (await configuration).revision;

describe('a configuration that was read', () => {
  it('stands until its window is over, counted from where the read began', async () => {
    const world = new World();
    const requested = world.current();
    world.time += 100;
    await world.end(0, 1n);
    expect(await revisionOf(requested)).toBe(1n);
    world.time += WINDOW - 101;
    expect(await revisionOf(world.current())).toBe(1n);
    expect(world.reads).toHaveLength(1);
    world.time += 1;
    const late = world.current();
    expect(world.reads).toHaveLength(2);
    await world.end(1, 2n);
    expect(await revisionOf(late)).toBe(2n);
  });

  it('is read once for all who ask meanwhile', async () => {
    const world = new World();
    const requested = [world.current(), world.current(), world.current()];
    await world.end(0, 1n);
    expect(await Promise.all(requested.map(revisionOf))).toEqual([1n, 1n, 1n]);
    expect(world.reads).toHaveLength(1);
  });

  it('is read anew for those who come when a read under way is older than the window', async () => {
    const world = new World();
    const early = world.current();
    world.time += WINDOW;
    const late = world.current();
    await world.end(1, 2n);
    expect(await revisionOf(late)).toBe(2n);
    await world.end(0, 1n);
    expect(await revisionOf(early)).toBe(1n);
    expect(await revisionOf(world.current())).toBe(2n);
    expect(world.reads).toHaveLength(2);
  });

  it('counts from there once it is confirmed', async () => {
    const world = new World();
    void world.current();
    await world.end(0, 1n);
    world.time += 400;
    const confirmed = world.confirmation.confirm();
    await world.end(1, 2n);
    expect(await revisionOf(confirmed)).toBe(2n);
    world.time += 400;
    expect(await revisionOf(world.current())).toBe(2n);
    expect(world.reads).toHaveLength(2);
  });

  it('is read each time where there is no window', async () => {
    const world = new World(0);
    const requested = [world.current(), world.current()];
    expect(world.reads).toHaveLength(2);
    await world.end(0, 1n);
    await world.end(1, 2n);
    expect(await Promise.all(requested.map(revisionOf))).toEqual([1n, 2n]);
    void world.current();
    expect(world.reads).toHaveLength(3);
  });
});

describe('a configuration that may have changed', () => {
  it('is read anew by the next who asks', async () => {
    const world = new World();
    void world.current();
    await world.end(0, 1n);
    world.confirmation.expire();
    const requested = world.current();
    await world.end(1, 2n);
    expect(await revisionOf(requested)).toBe(2n);
  });

  it('is not taken from a read that had begun before, whenever that ends', async () => {
    const world = new World();
    const early = world.current();
    world.confirmation.expire();
    const late = world.current();
    expect(world.reads).toHaveLength(2);
    await world.end(1, 2n);
    await world.end(0, 1n);
    expect(await revisionOf(early)).toBe(1n);
    expect(await revisionOf(late)).toBe(2n);
    expect(await revisionOf(world.current())).toBe(2n);
    expect(world.reads).toHaveLength(2);
  });

  it('is not confirmed by a read that had begun before and ends when nobody else has asked', async () => {
    const world = new World();
    void world.current();
    world.confirmation.expire();
    await world.end(0, 1n);
    void world.current();
    expect(world.reads).toHaveLength(2);
  });
});

describe('doubt', () => {
  it('ends with a read and comes back with what may have changed, not with time', async () => {
    const world = new World();
    const doubts = [world.confirmation.isInDoubt];
    void world.current();
    doubts.push(world.confirmation.isInDoubt);
    await world.end(0, 1n);
    world.time += 2 * WINDOW;
    doubts.push(world.confirmation.isInDoubt);
    world.confirmation.expire();
    doubts.push(world.confirmation.isInDoubt);
    expect(doubts).toEqual([true, true, false, true]);
  });

  it('stays after a read that had begun before, and after one that failed', async () => {
    const world = new World();
    void world.current();
    world.confirmation.expire();
    await world.end(0, 1n);
    const failed = Promise.allSettled([world.current()]);
    await world.fail(1);
    await failed;
    expect(world.confirmation.isInDoubt).toBe(true);
  });
});

describe('a read that fails', () => {
  it('fails for all who waited, and is tried again for the next one', async () => {
    const world = new World();
    const outcomes = Promise.allSettled([world.current(), world.current()]);
    await world.fail(0);
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = world.current();
    await world.end(1, 1n);
    expect(await revisionOf(next)).toBe(1n);
  });

  it('leaves nothing to go on with: what was read before does not stand until its window is over', async () => {
    const world = new World();
    void world.current();
    await world.end(0, 1n);
    const confirmed = world.confirmation.confirm();
    await world.fail(1);
    await expect(confirmed).rejects.toThrow('away');
    const next = world.current();
    expect(world.reads).toHaveLength(3);
    await world.fail(2);
    await expect(next).rejects.toThrow('away');
  });

  it('is not remembered when it was given up before it failed', async () => {
    const world = new World();
    const given = Promise.allSettled([world.current()]);
    world.confirmation.expire();
    const next = world.current();
    await world.fail(0);
    await world.end(1, 2n);
    await given;
    expect(await revisionOf(next)).toBe(2n);
    expect(await revisionOf(world.current())).toBe(2n);
    expect(world.reads).toHaveLength(2);
  });
});
