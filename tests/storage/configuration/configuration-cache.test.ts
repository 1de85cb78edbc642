import { describe, expect, it } from '@jest/globals';

import type { Configuration } from '../../../src/configuration/configuration.ts';
import { ConfigurationCache } from '../../../src/storage/configuration/configuration-cache.ts';
import { type Deferred, deferred } from '../../support/fakes/deferred.ts';
import { configurationOf } from '../../support/values/configuration-value.ts';

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
    const asked = Promise.all([cache.at(at(1n)), cache.at(at(1n)), cache.at(at(1n))]);
    loads[0]?.resolve(at(1n));
    const configurations = await asked;
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
