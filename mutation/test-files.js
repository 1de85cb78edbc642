import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const FOLDERS = ['unit', 'properties', 'conformance'];

/** @returns the tests whose files' names begin with one of these */
export function findTests(begins) {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join('tests', folder))
      .filter((name) => name.endsWith('.test.ts') && begins.some((begin) => name.startsWith(begin)))
      .map((name) => resolve('tests', folder, name)),
  ).sort();
}

/** @returns those of the tests that load a file of `src`, the nearest first, as they notice changes best */
export function testsOf(tests, file) {
  return tests
    .map((test) => ({ test, distance: distanceBetween(test, file) }))
    .filter(({ distance }) => distance !== undefined)
    .sort((left, right) => left.distance - right.distance)
    .map(({ test }) => test);
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
