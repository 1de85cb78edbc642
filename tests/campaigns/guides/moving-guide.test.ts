import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectedOf, fixtureFile, type FixtureName } from '../../linotp/linotp-fixture.ts';
import { makeSqlite } from '../../linotp/sqlite-fixture.ts';
import { codeBlocks, shellLines } from '../../repository/markdown.ts';
import { readRepositoryFile } from '../../repository/repository-file.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { queryOnce, withDatabase } from '../../support/database/test-server.ts';
import { findMariadb, startMariadb } from '../../support/servers/mariadb.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { describeWithProgram, findPostgres } from '../../support/servers/system-programs.ts';
import { testProgram } from '../../support/servers/test-build.ts';

const FIXTURE = '3.4.4-postgresql';
const PASSWORD = 'correct horse battery';
const SCRATCH = `scratch_${process.pid}`;
const mariadb = findMariadb();
const { tokens } = expectedOf(FIXTURE);

/** The commands of the guide, in its order: those that load a dump, and the move. Those within lists are indented. */
const [loading = [], ...moving] = codeBlocks(
  readRepositoryFile('docs/guides/moving-from-linotp.md').replace(/^ {3}/gm, ''),
)
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => shellLines(text));
const commands = moving.flat();

let folder: string;
let linotp: TestDatabase;
let own: TestDatabase;
let server: ServerProcess;
let environment: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-move-'));
  [linotp, own] = [await createTestDatabase({ schema: 'empty' }), await createTestDatabase()];
  await queryOnce(linotp.url, await readFile(fixtureFile(FIXTURE, 'dump.sql'), 'utf8'));
  await mkdir(join(folder, 'passwd'));
  for (const file of ['passwd-one', 'passwd-two', 'passwd-three']) {
    await cp(fixtureFile(FIXTURE, file), join(folder, 'passwd', file));
  }
  await cp(fixtureFile(FIXTURE, 'encKey'), join(folder, 'encKey'));
  await writeFile(join(folder, 'password'), `${PASSWORD}\n`);
  await mkdir(join(folder, 'bin'));
  const program = `#!/bin/sh\nexec '${process.execPath}' '${testProgram()}' "$@"\n`;
  await writeFile(join(folder, 'bin/tankeeper'), program, { mode: 0o755 });
  environment = { DATABASE_URL: own.url, DATA_DIR: join(folder, 'data') };
  server = await startServerProcess({ ...environment, ADMIN_PASSWORD_FILE: join(folder, 'password') });
});

afterAll(async () => {
  await server.stop();
  await Promise.all([linotp.drop(), own.drop()]);
  await rm(folder, { recursive: true });
});

/** Runs a command of the guide with the addresses of this test. @returns its output */
async function run(command: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const line = command.replace('postgresql://linotp@db.example.com/linotp', `'${linotp.url}'`);
  const path = `${join(folder, 'bin')}:${process.env.PATH ?? ''}`;
  const { stdout } = await promisify(execFile)('sh', ['-c', line], {
    cwd: folder,
    env: { ...environment, PATH: path, ...more },
  });
  return stdout;
}

/** @returns a hash of what LinOTP stores */
async function linotpContent(): Promise<unknown> {
  const tables = ['"Token"', '"TokenRealm"', '"Realm"', '"Config"', 'challenges', 'imported_user'];
  const hashes = tables.map(
    (table) => `(SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM public.${table} t)`,
  );
  return queryOnce(linotp.url, `SELECT ARRAY[${hashes.join(', ')}] AS hashes`);
}

/** Loads a dump by a line of the guide, and rehearses the import of it. @returns the number of tokens that were taken */
async function importDump(
  command: string | undefined,
  fixture: FixtureName,
  { dump, database, ...more }: Readonly<Record<'dump' | 'database', string> & Record<string, string>>,
): Promise<number> {
  await writeFile(join(folder, 'dump.sql'), dump);
  await run(command?.replaceAll('scratch', SCRATCH) ?? 'false', more);
  const key = fixtureFile(fixture, 'encKey');
  const options = `--enckey '${key}' --time-zone Europe/Berlin --dry-run`;
  const out = await run(`tankeeper import linotp --database '${database}' ${options}`);
  const [, taken, changed, left] =
    /^tokens: (\d+) taken, (\d+) changed, 0 updated, (\d+) left/m.exec(out) ?? [];
  expect(left).toBe('0');
  return Number(taken) + Number(changed);
}

const dumpOf = (fixture: FixtureName): Promise<string> => readFile(fixtureFile(fixture, 'dump.sql'), 'utf8');

describeWithProgram('a dump of PostgreSQL', findPostgres(), 'postgresql', (programs) => {
  it('is loaded and imported', async () => {
    const url = new URL(own.url.replace('@/', '@localhost/'));
    const taken = await importDump(loading[0], FIXTURE, {
      dump: await dumpOf(FIXTURE),
      database: withDatabase(own.url, SCRATCH),
      PATH: `${programs}:${process.env.PATH ?? ''}`,
      PGHOST: url.searchParams.get('host') ?? url.hostname,
      PGPORT: url.port,
      PGUSER: url.username,
    });
    await queryOnce(own.url, `DROP DATABASE ${SCRATCH}`);
    expect(taken).toBe(tokens.length);
  });
});

describeWithProgram('a dump of MariaDB', mariadb && 'mariadb', 'mariadb-server', () => {
  it('is loaded and imported', async () => {
    const fixture = '3.4.4-mariadb';
    const mysql = await startMariadb(mariadb ?? { server: '', installer: '' });
    await mysql.query("CREATE USER moving@'127.0.0.1'", "GRANT ALL ON *.* TO moving@'127.0.0.1'");
    await writeFile(join(folder, '.my.cnf'), `[client]\nhost=127.0.0.1\nport=${mysql.port}\nuser=moving\n`);
    const taken = await importDump(loading[1], fixture, {
      dump: await dumpOf(fixture),
      database: `mysql://moving@127.0.0.1:${mysql.port}/${SCRATCH}`,
      HOME: folder,
    });
    await mysql.remove();
    expect(taken).toBe(expectedOf(fixture).tokens.length);
  });
});

describeWithProgram('a dump of SQLite', findSystemProgram('sqlite3'), 'sqlite3', (program) => {
  it('is loaded and imported', async () => {
    const path = join(folder, 'token.db');
    (await makeSqlite(FIXTURE, path)).close();
    const taken = await importDump(loading[2], FIXTURE, {
      dump: (await promisify(execFile)(program, [path, '.dump'], { maxBuffer: 1 << 26 })).stdout,
      database: `${SCRATCH}.db`,
    });
    expect(taken).toBe(tokens.length);
  });
});

describe('the guide to moving from LinOTP', () => {
  it('leads, command by command, to the tokens of LinOTP', async () => {
    const before = await linotpContent();
    const printed: (readonly [command: string, output: string])[] = [];
    for (const command of commands) {
      printed.push([command, await run(command)]);
      if (command.includes('--dry-run')) {
        expect(await queryOnce(own.url, 'SELECT id FROM tokens')).toEqual([]);
      }
    }
    const outputOf = (words: string): string =>
      printed.find(([command]) => command.includes(words))?.[1] ?? '';
    const dryRun = outputOf('--dry-run');
    const bulk = outputOf('Berlin --report report.txt');
    expect(dryRun).toContain('Dry run: nothing is stored\n');
    expect(dryRun).toBe(bulk.replace('resolvers:', 'Dry run: nothing is stored\nresolvers:'));
    expect(bulk).toContain(`tokens: ${tokens.length - 3} taken, 3 changed, 0 updated, 0 left`);
    expect(bulk).not.toContain('does not work');
    expect(outputOf('realm list')).toMatch(/^hauptrealm +yes +pw-one$/m);
    expect(outputOf('policy list')).toMatch(/^mon_all +monitoring .* yes$/m);
    expect(outputOf('tankeeper count')).toMatch(new RegExp(String.raw`^Summary +${tokens.length} `, 'm'));
    expect(outputOf('token list')).toMatch(/^OC01 +ocra2 +anna +hauptrealm +active +0$/m);
    expect(outputOf('difference.txt')).toContain(
      `tokens: 0 taken, 0 changed, 0 updated, 0 left, ${tokens.length} unchanged, 0 removed`,
    );
    expect(commands).toHaveLength(7);
    const files = await readdir(folder);
    expect(files.filter((name) => /report|difference/.test(name)).sort()).toEqual([
      'difference.txt',
      'difference.txt.json',
      'report.txt',
      'report.txt.json',
    ]);
    // The roll-back needs LinOTP as it was.
    expect(await linotpContent()).toEqual(before);
  });
});
