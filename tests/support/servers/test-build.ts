import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { transform } from '@swc/core';

const ROOT = join(import.meta.dirname, '../../..');
const VARIABLE = 'TANKEEPER_TEST_PROGRAM';
const FOLDER = 'dist-tests-';
const COMPILATION = {
  swcrc: false,
  jsc: { parser: { syntax: 'typescript' }, target: 'es2023', rewriteRelativeImportExtensions: true },
  module: { type: 'es6' },
} as const;

/**
 * Builds the sources for the processes that tests start: plain JavaScript starts in half the time of TypeScript.
 * @returns a function that removes the build
 */
export async function buildTestProgram(): Promise<() => Promise<void>> {
  await removeForsaken();
  // Beside src/: the program finds package.json and bin/ relative to itself.
  const folder = join(ROOT, `${FOLDER}${process.pid}`);
  const names = await readdir(join(ROOT, 'src'), { recursive: true });
  await Promise.all(names.filter((name) => name.endsWith('.ts')).map((name) => compile(name, folder)));
  process.env[VARIABLE] = join(folder, 'main.js');
  return () => rm(folder, { recursive: true, force: true });
}

/**
 * @returns the program that tests start with `node`: the build of this run, else (outside of jest) the command itself
 */
export function testProgram(): string {
  return process.env[VARIABLE] ?? join(ROOT, 'bin/tankeeper.js');
}

async function compile(name: string, folder: string): Promise<void> {
  const source = await readFile(join(ROOT, 'src', name), 'utf8');
  const { code } = await transform(source, { ...COMPILATION, filename: name });
  const target = join(folder, name.replace(/\.ts$/, '.js'));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
}

/** Removes the builds of killed runs. */
async function removeForsaken(): Promise<void> {
  const builds = (await readdir(ROOT)).filter((name) => name.startsWith(FOLDER));
  const forsaken = builds.filter((name) => !isAlive(Number(name.slice(FOLDER.length))));
  await Promise.all(forsaken.map((name) => rm(join(ROOT, name), { recursive: true, force: true })));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
