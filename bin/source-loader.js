// Loads the sources in src/ as the build would compile them. In this process: a compiler in one of its own, as esbuild
// is, would be stopped by the Ctrl-C of a terminal before the server has ended.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

/** A hook of `node:module`. */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) {
    return next(url, context);
  }
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), {
    ...{ filename, swcrc: false, sourceMaps: 'inline', module: { type: 'es6' } },
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
