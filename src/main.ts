import { run } from './compose/command-line.ts';

process.exitCode = await run(process.argv.slice(2));
