// Adds up what Jest wrote, as the last line: N passed, N failed.
//
//   node .ci/count-tests.js FAILED_STEPS FILE…
import { existsSync, readFileSync } from 'node:fs';

const [steps, ...files] = process.argv.slice(2);
const runs = files.filter((file) => existsSync(file)).map((file) => JSON.parse(readFileSync(file, 'utf8')));
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const passed = sum(runs.map((run) => run.numPassedTests));
const failedTests = sum(runs.map((run) => run.numFailedTests + run.numRuntimeErrorTestSuites));
console.log(`Steps that failed: ${steps}`);
// A step that fails without a failing test (lint, the demo, a suite that does not load) still counts as one.
const failed = Math.max(failedTests, Number(steps));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
