import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testProgram } from '../support/servers/test-build.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-modules-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** @returns the packages that our modules import in a command */
function loadedBy(...words: readonly string[]): readonly string[] {
  const list = join(folder, 'list');
  const hooks = `
    import { appendFileSync } from 'node:fs';
    export async function load(url, context, next) {
      appendFileSync(${JSON.stringify(list)}, url + '\\n');
      return next(url, context);
    }`;
  const register = `
    import { register } from 'node:module';
    register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(hooks))});`;
  spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(register)}`, testProgram(), ...words],
    { env: { PATH: process.env.PATH, DATA_DIR: join(folder, 'none') } },
  );
  const urls = readFileSync(list, 'utf8');
  rmSync(list);
  expect(urls).toContain(pathToFileURL(testProgram()).href);
  return [
    ...new Set([...urls.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name = '']) => name)),
  ];
}

/** Loading each of these takes 20 to 80 ms, which every command would wait for. */
const SERVER = ['express', 'helmet', 'prom-client', 'qrcode', '@fastify/busboy'];
const FILES = ['fast-xml-parser', 'csv-parse', 'jsqr', 'pngjs', 'age-encryption'];
const DATABASE = ['knex', 'pg'];

describe('a command', () => {
  it('without a database loads no library of the database or the server', () => {
    const loaded = loadedBy('--help');
    expect(loaded).toContain('commander');
    expect([...SERVER, ...FILES, ...DATABASE].filter((name) => loaded.includes(name))).toEqual([]);
  });

  it('on the database loads no library of the server, of key files or of pictures', () => {
    const loaded = loadedBy('token', 'list');
    expect(loaded).toEqual(expect.arrayContaining(DATABASE));
    expect([...SERVER, ...FILES].filter((name) => loaded.includes(name))).toEqual([]);
  });
});
