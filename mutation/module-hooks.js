import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const SUITE = new URL('suite.js', import.meta.url).href;
/** TypeScript of before, as JavaScript: the same file is loaded once for each mutant of its constants. */
const scripts = new Map();

/** What a file of a round imports is of that round, too: `?7` in its address, so that each round loads it anew. */
export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') {
    return { url: SUITE, shortCircuit: true };
  }
  const resolved = await next(specifier, context);
  const round = new URL(context.parentURL ?? 'file:///').search;
  return resolved.url.endsWith('.ts') ? { ...resolved, url: resolved.url + round } : resolved;
}

export async function load(url, context, next) {
  const { pathname } = new URL(url);
  if (!pathname.endsWith('.ts')) {
    return next(url, context);
  }
  const source = scripts.get(pathname) ?? compile(fileURLToPath(new URL(pathname, url)));
  scripts.set(pathname, source);
  return { format: 'module', source, shortCircuit: true };
}

function compile(file) {
  const jsc = { parser: { syntax: 'typescript' }, target: 'es2023' };
  return transformSync(readFileSync(file, 'utf8'), { jsc, module: { type: 'es6' }, swcrc: false }).code;
}
