import { run } from './compose/command-line.ts';

process.exitCode = await run(process.argv.slice(2));
// Work that was given up may still hang, in the database or in a resolver, and must not keep the process.
setTimeout(() => process.exit(), 500).unref();
