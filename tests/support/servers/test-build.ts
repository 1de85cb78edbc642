import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../../..');
const VARIABLE = 'TANKEEPER_TEST_PROGRAM';
const FOLDER = 'dist-tests-';

/**
 * Builds the sources for the processes that tests start: plain JavaScript starts in half the time of TypeScript. A
 * build in dist/ that is current is copied, as another one may take its place while the tests run.
 * @returns a function that removes the build
 */
export async function buildTestProgram(): Promise<() => Promise<void>> {
  await removeAbandoned();
  // Beside src/: the program finds package.json and bin/ relative to itself.
  const name = `${FOLDER}${process.pid}`;
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build.js'), name, '--copy']);
  const folder = join(ROOT, name);
  process.env[VARIABLE] = join(folder, 'main.js');
  return () => rm(folder, { recursive: true, force: true });
}

/**
 * @returns the program that tests start with `node`: the build of this run, else (outside of jest) the command itself
 */
export function testProgram(): string {
  return process.env[VARIABLE] ?? join(ROOT, 'bin/tankeeper.js');
}

/** Removes the builds of killed runs. */
async function removeAbandoned(): Promise<void> {
  const builds = (await readdir(ROOT)).filter((name) => name.startsWith(FOLDER));
  const abandoned = builds.filter((name) => !isAlive(Number(name.slice(FOLDER.length))));
  await Promise.all(abandoned.map((name) => rm(join(ROOT, name), { recursive: true, force: true })));
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
