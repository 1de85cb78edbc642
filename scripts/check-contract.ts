import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { VARIABLES } from '../src/config/variables.ts';
import { packageVersion } from '../src/kernel/package-version.ts';
import { describedProgram } from './command-reference.ts';
import { type Contract, contractOf } from './contract.ts';
import { contractBreaks } from './contract-breaks.ts';
import { describedInterface } from './described-interface.ts';
import { allMetrics } from './metrics-reference.ts';

/** `npm run contract [-- --write]`: names what breaks what the last release promised; or notes it, at a release. */

const FILE = join(import.meta.dirname, '../tests/fixtures/releases/contract.json');

const contract = contractOf({
  version: packageVersion(),
  description: describedInterface(),
  program: describedProgram(),
  variables: VARIABLES,
  metrics: allMetrics().declared(),
});
if (process.argv.includes('--write')) {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, `${JSON.stringify(contract, null, 1)}\n`);
} else if (existsSync(FILE)) {
  const before = JSON.parse(readFileSync(FILE, 'utf8')) as Contract;
  const breaks = contractBreaks(before, contract);
  const sum = `${breaks.length} breaks of the contract of ${before.version} in ${contract.version}`;
  process.stdout.write(`${[...breaks, sum].join('\n')}\n`);
  process.exitCode = breaks.length > 0 && !isMajor(before.version, contract.version) ? 1 : 0;
} else {
  process.stdout.write('No release has noted its contract: nothing can break.\n');
}

function isMajor(before: string, now: string): boolean {
  return Number.parseInt(now, 10) > Number.parseInt(before, 10);
}
