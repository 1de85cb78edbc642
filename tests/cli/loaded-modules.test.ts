import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '../support/database/test-database.ts';
import { startServerProcess } from '../support/servers/server-process.ts';
import { testProgram } from '../support/servers/test-build.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';

const folder = temporaryFolder();

/** @returns the packages that a command loads, bundled or not; it ends with that status */
function loadedBy(words: readonly string[], environment: Readonly<Record<string, string>>, status: number) {
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
  const ended = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(register)}`, testProgram(), ...words],
    { env: { PATH: process.env.PATH, DATA_DIR: join(folder, 'none'), ...environment }, encoding: 'utf8' },
  );
  expect([ended.status, ended.stderr]).toEqual([status, status === 0 ? '' : expect.any(String)]);
  const urls = readFileSync(list, 'utf8');
  rmSync(list);
  expect(urls).toContain(pathToFileURL(testProgram()).href);
  const bundled = urls
    .split('\n')
    .map((url) => `${url}.map`)
    .filter((map) => map.startsWith('file:') && existsSync(new URL(map)))
    .flatMap((map) => (JSON.parse(readFileSync(new URL(map), 'utf8')) as { sources: string[] }).sources);
  return [
    ...new Set(
      [...`${urls}${bundled.join('\n')}`.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/\n]+)/g)].map(
        ([, name = '']) => name,
      ),
    ),
  ];
}

/** Loading each of these takes 10 to 90 ms, which every command would wait for. */
const SERVER = ['express', 'helmet', 'prom-client', '@fastify/busboy', 'winston', 'jose'];
const FILES = ['fast-xml-parser', 'csv-parse', 'qr', 'pngjs', 'age-encryption'];
const DIRECTORIES = ['ldapts', 'mysql2', 'node-sqlite3-wasm', 'bcryptjs'];
const CODES = ['@noble', '@scure'];
const DATABASE = ['knex', 'pg'];
const HASHES = ['@node-rs/argon2'];

describe('a command', () => {
  it.each([
    ['--help', ['--help'], 0],
    ['the help of a command', ['token', 'init', '--help'], 0],
    ['wrong usage', ['token', 'frobnicate'], 2],
  ])('without a database loads no library but that of the command line: %s', (_title, words, status) => {
    const loaded = loadedBy(words, { PORT: 'wrong' }, status);
    expect(loaded).toContain('commander');
    const others = [...SERVER, ...FILES, ...DIRECTORIES, ...CODES, ...DATABASE, ...HASHES];
    expect(loaded.filter((name) => others.some((other) => name.startsWith(other)))).toEqual([]);
  });

  it('on the database loads no library of the server, of directories, of key files or of pictures', async () => {
    const test = await createTestDatabase();
    const environment = { DATABASE_URL: test.url, DATA_DIR: join(folder, 'key') };
    // A server, not a command, makes the key.
    await (await startServerProcess(environment)).stop();
    const loaded = loadedBy(['token', 'list'], environment, 0);
    expect(loaded).toEqual(expect.arrayContaining(DATABASE));
    const others = [...SERVER, ...FILES, ...DIRECTORIES];
    expect(loaded.filter((name) => others.some((other) => name.startsWith(other)))).toEqual([]);
    await test.drop();
  });
});
