import { compareRates, compareServers } from './comparison.ts';
import { measureGrowth } from './growth.ts';
import { inWorkplace, type Workplace } from './installation.ts';
import { measureMixedLoad } from './mixed.ts';
import { readOptions } from './options.ts';
import { measureSoak } from './soak.ts';

/** `npm run bench`: see docs/benchmarks.md. */

const options = readOptions();
// Where costs are compared by size, waiting for the disk would only hide the difference.
await inWorkplace(options, options.growth === undefined, run);

async function run(workplace: Workplace): Promise<void> {
  const { growth, soak, servers, mixed } = options;
  if (growth !== undefined) {
    await measureGrowth(workplace, growth);
  } else if (soak !== undefined) {
    await measureSoak(workplace, soak);
  } else if (servers !== undefined) {
    await compareServers(workplace, servers);
  } else if (mixed) {
    await measureMixedLoad(workplace);
  } else {
    await compareRates(workplace);
  }
}
