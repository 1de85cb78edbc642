import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
import { describeWithProgram, findPostgres } from '../../support/servers/system-programs.ts';
import { assertSucceeded, GuideSandbox, PASSWORD } from './guide-sandbox.ts';

const FIXTURE = '3.4.4-postgresql';
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

let linotp: TestDatabase;
let sandbox: GuideSandbox;

beforeAll(async () => {
  [linotp, sandbox] = [await createTestDatabase({ schema: 'empty' }), await GuideSandbox.start()];
  await queryOnce(linotp.url, await dumpOf(FIXTURE));
  for (const file of ['passwd-one', 'passwd-two', 'passwd-three']) {
    await sandbox.write(`passwd/${file}`, await readFile(fixtureFile(FIXTURE, file)));
  }
  await sandbox.write('encKey', await readFile(fixtureFile(FIXTURE, 'encKey')));
  await sandbox.write('password', `${PASSWORD}\n`);
});

afterAll(async () => {
  await sandbox.remove();
  await linotp.drop();
});

/** Runs a command of the guide with the addresses of this test. @returns its output */
async function run(command: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const exports = Object.entries(more).map(([name, value]) => `export ${name}="${value}"`);
  const ran = await sandbox.run(
    [...exports, command],
    [['postgresql://linotp@db.example.com/linotp', `'${linotp.url}'`]],
  );
  assertSucceeded(ran);
  return ran.output.slice(ran.output.indexOf(`+ ${command}\n`) + command.length + 3);
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
  await sandbox.write('dump.sql', dump);
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
    const url = new URL(sandbox.databaseUrl.replace('@/', '@localhost/'));
    const taken = await importDump(loading[0], FIXTURE, {
      dump: await dumpOf(FIXTURE),
      database: withDatabase(sandbox.databaseUrl, SCRATCH),
      PATH: `${programs}:$PATH`,
      PGHOST: url.searchParams.get('host') ?? url.hostname,
      PGPORT: url.port,
      PGUSER: url.username,
    });
    await queryOnce(sandbox.databaseUrl, `DROP DATABASE ${SCRATCH}`);
    expect(taken).toBe(tokens.length);
  });
});

describeWithProgram('a dump of MariaDB', mariadb && 'mariadb', 'mariadb-server', () => {
  it('is loaded and imported', async () => {
    const fixture = '3.4.4-mariadb';
    const mysql = await startMariadb(mariadb ?? { server: '', installer: '' });
    await mysql.query("CREATE USER moving@'127.0.0.1'", "GRANT ALL ON *.* TO moving@'127.0.0.1'");
    const options = await sandbox.write(
      '.my.cnf',
      `[client]\nhost=127.0.0.1\nport=${mysql.port}\nuser=moving\n`,
    );
    const taken = await importDump(loading[1], fixture, {
      dump: await dumpOf(fixture),
      database: `mysql://moving@127.0.0.1:${mysql.port}/${SCRATCH}`,
      HOME: dirname(options),
    });
    await mysql.remove();
    expect(taken).toBe(expectedOf(fixture).tokens.length);
  });
});

describeWithProgram('a dump of SQLite', findSystemProgram('sqlite3'), 'sqlite3', (program) => {
  it('is loaded and imported', async () => {
    const path = await sandbox.write('token.db', '');
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
        expect(await queryOnce(sandbox.databaseUrl, 'SELECT id FROM tokens')).toEqual([]);
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
    const files = await readdir(join(sandbox.folder, 'work'));
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
