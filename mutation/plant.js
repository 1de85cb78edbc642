// Plants faults one by one and runs the tests that are nearest to each. See docs/mutation.md.
//
//   node --import tsx mutation/plant.js GROUP [TESTS…]    the faults of mutation/planted/GROUP.js; TESTS: what else is run for those not found
//   --from NUMBER: without the faults before this one, counted from 0
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { clearTimeout, setTimeout } from 'node:timers';
import { parseArgs } from 'node:util';

import setUp from '../tests/support/database/global-setup.ts';
import tearDown from '../tests/support/database/global-teardown.ts';

const JEST =
  '--max-semi-space-size=64 --disable-warning=ExperimentalWarning --import tsx node_modules/jest/bin/jest.js';
/** Tests that a fault lets wait for ever count as not having found it. */
const LONGEST_MS = 600_000;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string', default: '0' } },
});
const [group = '', ...further] = positionals;
if (!/^\d+$/.test(values.from)) {
  throw new Error(`--from is not a number: ${values.from}`);
}
const planted = await import(`./planted/${group}.js`);
const faults = planted.faults.slice(Number(values.from));
let missed = 0;
await setUp();
for (const [file, from, to, nearest] of faults) {
  const path = join('src', file);
  const source = readFileSync(path, 'utf8');
  const title = `${file}: ${from.replaceAll(/\s+/g, ' ')} → ${to || 'nothing'}`;
  if (!source.includes(from)) {
    throw new Error(`Not there any more: ${title}`);
  }
  writeFileSync(
    path,
    source.replaceAll(from, () => to),
  );
  try {
    const found = await testsThatFail(nearest.split(' '), true);
    missed += Number(found.length === 0);
    const below = found.length > 0 || further.length === 0 ? [] : await testsThatFail(further, false);
    console.log(
      [
        `${found.length > 0 ? 'found ' : 'MISSED'} ${title}`,
        ...found,
        ...below.map((one) => `also: ${one}`),
      ].join('\n    '),
    );
  } finally {
    writeFileSync(path, source);
  }
}
await tearDown();
console.log(`${faults.length - missed} of ${faults.length} found`);
process.exitCode = missed > 0 ? 1 : 0;

/** @returns the tests that fail; with `bail` the first of them alone */
async function testsThatFail(tests, bail) {
  const options = ['--config', 'mutation/planted-tests.js', ...(bail ? ['--bail', '--runInBand'] : [])];
  const said = await runJest([...options, ...tests]);
  if (said === undefined) {
    console.log(`no end within ${LONGEST_MS / 1000} s: ${tests.join(' ')}`);
    return [];
  }
  const [, ...files] = said.split(/^FAIL /m);
  return files
    .flatMap((file) => {
      const [name = ''] = file.split(/[\s(]/);
      const titles = new Set(Array.from(file.matchAll(/^ {2}● (.+)$/gm), ([, title]) => title));
      return [...titles].map((title) => `${name}: ${title}`);
    })
    .slice(0, bail ? 1 : undefined);
}

/** @returns what Jest says; nothing where it finds no end in time */
async function runJest(parameters) {
  // In a process group of its own, to be killed with its workers.
  const jest = spawn(process.execPath, [...JEST.split(' '), ...parameters], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const late = new Error('No end in time');
  const timer = setTimeout(() => jest.stderr.destroy(late), LONGEST_MS);
  // A terminal interrupts its own group alone. The fault is then taken back, too.
  const interrupt = () => jest.stderr.destroy(new Error('Interrupted'));
  process.once('SIGINT', interrupt);
  try {
    return await text(jest.stderr);
  } catch (error) {
    process.kill(-jest.pid, 'SIGKILL');
    if (error !== late) {
      throw error;
    }
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', interrupt);
  }
}
