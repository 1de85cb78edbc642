import { openBenchCluster } from '../bench-cluster.ts';
import { ClosingStack } from '../closing-stack.ts';
import { compareRates, compareServers } from './comparison.ts';
import { forkProgram } from './forked-program.ts';
import { readOptions } from './options.ts';

/** `npm run bench`: see docs/benchmarks.md. */

const options = readOptions();
await using closing = new ClosingStack();
const cluster = await openBenchCluster(options.database, true);
closing.add(() => cluster.close());
const load = forkProgram(new URL('./load-client.ts', import.meta.url));
closing.add(() => load.stop());
const workplace = { cluster, load, options, closing };
await (options.servers === undefined ? compareRates(workplace) : compareServers(workplace, options.servers));
