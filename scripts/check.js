// `npm run check`: format, lint, types, and the tests that need no database, server or browser; the linter beside all else,
// as two cores do that in half the time. Prints what each has said once it is over.
//
//   node scripts/check.js [--without-tests]     for CI, which runs all tests anyway
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const LANES = [
  ['lint:code'],
  ['format', 'types', 'lint:imports', ...(process.argv.includes('--without-tests') ? [] : ['test:quick'])],
];

/** @returns true if it succeeds */
async function run(script) {
  const begun = Date.now();
  const child = spawn('npm', ['run', '--silent', script], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pieces = [];
  child.stdout.on('data', (piece) => pieces.push(piece));
  child.stderr.on('data', (piece) => pieces.push(piece));
  const [code] = await once(child, 'close');
  const seconds = Math.round((Date.now() - begun) / 1000);
  const output = pieces.map(String).join('');
  console.log(`${output}${script}: ${code === 0 ? 'passed' : 'FAILED'} (${seconds} s)`);
  return code === 0;
}

/** One after the other, all of them: a fault of format does not hide one of types. */
async function runLane(scripts) {
  const outcomes = [];
  for (const script of scripts) {
    outcomes.push(await run(script));
  }
  return outcomes.every(Boolean);
}

// Types that linter and compiler need.
const passed = (await run('console:api')) && (await Promise.all(LANES.map(runLane))).every(Boolean);
process.exitCode = passed ? 0 : 1;
