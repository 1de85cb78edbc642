import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const DATABASE = /support\/(?:application|database)\//;

/** @returns the tests without a database in these folders under `tests`, and in the folders below them */
export function findTests(folders) {
  return folders.flatMap((folder) =>
    readdirSync(join('tests', folder), { recursive: true })
      .filter((name) => name.endsWith('.test.ts'))
      .sort()
      .map((name) => resolve('tests', folder, name))
      .filter((file) => !DATABASE.test(readFileSync(file, 'utf8'))),
  );
}

/** @returns those of the tests that load a file of `src`, the nearest first, as they notice changes best and soonest */
export function testsOf(tests, file) {
  return tests
    .map((test) => ({ test, distance: distanceBetween(test, file) }))
    .filter(({ distance }) => distance !== undefined)
    .sort((left, right) => rank(left) - rank(right))
    .map(({ test }) => test);
}

function rank({ test, distance }) {
  return distance + (test.endsWith('.properties.test.ts') ? 100 : 0);
}

function distanceBetween(from, to) {
  const seen = new Set([from]);
  let level = [from];
  for (let distance = 0; level.length > 0; distance += 1) {
    if (level.includes(to)) {
      return distance;
    }
    level = [...new Set(level.flatMap(importsOf))].filter((file) => !seen.has(file));
    level.forEach((file) => seen.add(file));
  }
  return undefined;
}

const imports = new Map();

function importsOf(file) {
  const known = imports.get(file);
  if (known !== undefined) {
    return known;
  }
  const specifiers = readFileSync(file, 'utf8').matchAll(/from\s*["'](\.[^"']+\.ts)["']/g);
  const found = Array.from(specifiers, ([, specifier]) => resolve(dirname(file), specifier));
  imports.set(file, found);
  return found;
}
