import { compareRates, compareServers } from './comparison.ts';
import { inWorkplace } from './installation.ts';
import { readOptions } from './options.ts';

/** `npm run bench`: see docs/benchmarks.md. */

const options = readOptions();
const { servers } = options;
await inWorkplace(options, (workplace) =>
  servers === undefined ? compareRates(workplace) : compareServers(workplace, servers),
);
