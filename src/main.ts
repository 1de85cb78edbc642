import { run } from './compose/run.ts';

process.exitCode = await run(process.argv.slice(2));
