import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { embeddedFolders, isServed } from '../../embedded-postgres/support/embedded-folders.ts';
import { REPOSITORY } from '../../repository/repository-file.ts';
import { startServerProcess } from '../../support/servers/server-process.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { type Ended, runCli } from '../../cli/cli-process.ts';

const MADE_BY = 'A new installation is made by `tankeeper migrate` and by the first start of the server\n';
const SET_DATA_DIR =
  'Set DATA_DIR (by default ./data in the current folder) to the data folder of the server, or DATABASE_URL to its database';

const folders = embeddedFolders();
let folder: string;
let dataDir: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-nothing-'));
  // Under root PostgreSQL runs as another user, who has to get through.
  await chmod(folder, 0o711);
  dataDir = join(folder, 'data');
});
afterEach(async () => {
  await folders.clear();
  await rm(folder, { recursive: true, force: true });
});

function refusal(text: string): Ended {
  return { code: 1, out: '', err: `tankeeper: ${text}` };
}

describe('where there is no installation', () => {
  it.each([
    ['token', 'list'],
    ['housekeeping', 'run'],
    ['resolver', 'add', 'staff'],
    ['admin', 'add', 'anna', '--password-file', '-'],
  ])('`tankeeper %s %s` says where it looked and what to set, and makes nothing', async (...words) => {
    expect(await runCli(words, { DATA_DIR: dataDir }, 'a password that is long enough')).toEqual(
      refusal(
        `there is no installation in the data folder ${dataDir}: the folder does not exist. ${SET_DATA_DIR}. ${MADE_BY}`,
      ),
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it('looks into ./data of the current folder where nothing is set', async () => {
    const err = await new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        [join(REPOSITORY, 'bin/tankeeper.js'), 'token', 'list'],
        { cwd: folder, env: { PATH: process.env.PATH ?? '' } },
        (_error, _out, text) => {
          resolve(text);
        },
      );
    });
    expect(err).toContain(
      `there is no installation in the data folder ${dataDir}: the folder does not exist. `,
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it('points at DATABASE_URL where the data folder holds a key alone', async () => {
    await mkdir(dataDir);
    const key = join(dataDir, 'encryption.key');
    await writeFile(key, 'a key', { mode: 0o600 });
    const { code, err } = await runCli(['token', 'list'], { DATA_DIR: dataDir });
    expect(code).toBe(1);
    expect(err).toContain(
      `it holds no database. The encryption key ${key} is there: the server may use a DATABASE_URL that is not set here. `,
    );
    expect(await readdir(dataDir)).toEqual(['encryption.key']);
    expect(await readFile(key, 'utf8')).toBe('a key');
  });

  it('stops an embedded database without tables again, and makes none', async () => {
    await (await folders.open({ dataDir })).close();
    expect(await runCli(['token', 'list'], { DATA_DIR: dataDir })).toEqual(
      refusal(
        `there is no installation in the data folder ${dataDir}: the database has no tables of tankeeper. ${SET_DATA_DIR}. ${MADE_BY}`,
      ),
    );
    expect(await isServed(join(dataDir, 'postgres'))).toBe(false);
    expect(existsSync(join(dataDir, 'encryption.key'))).toBe(false);
  });

  it('goes for none by a command that needs none', async () => {
    const environment = { DATA_DIR: dataDir, HOME: folder };
    for (const words of [['--help'], ['config'], ['device', 'activation-code'], ['device', 'list']]) {
      expect(await runCli(words, environment)).toMatchObject({ code: 0, err: '' });
    }
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('a PostgreSQL database', () => {
  let test: TestDatabase;
  let environment: Record<string, string>;

  beforeEach(async () => {
    test = await createTestDatabase({ schema: 'empty' });
    environment = { DATABASE_URL: test.url, DATA_DIR: dataDir };
  });
  afterEach(() => test.drop());

  async function tables(): Promise<readonly string[]> {
    return test.database
      .knex('pg_tables')
      .where({ schemaname: 'public' })
      .orderBy('tablename')
      .pluck('tablename');
  }

  it('that is empty stays empty, and no key is made', async () => {
    const { code, out, err } = await runCli(['token', 'list'], environment);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /^tankeeper: there is no installation in the database '[^']+' on .*, port \d+: the database has no tables of tankeeper\. Set DATABASE_URL to the database of the server, or DATA_DIR alone to its data folder\. /,
    );
    expect(err.endsWith(MADE_BY)).toBe(true);
    expect(await tables()).toEqual([]);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('with tables alone gets its key from the first server, not from a command that may run elsewhere', async () => {
    expect(await runCli(['migrate'], environment)).toMatchObject({ code: 0, err: '' });
    const { code, err } = await runCli(['token', 'list'], environment);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^tankeeper: the installation in the database '[^']+' on .* has no encryption key yet: start the server once, which makes the key, or takes the one that ENCRYPTION_KEY_FILE names\n$/,
    );
    expect(existsSync(dataDir)).toBe(false);
    await (await startServerProcess(environment)).stop();
    expect(await runCli(['token', 'list'], environment)).toMatchObject({ code: 0, err: '' });
  });
});

describe('tankeeper migrate', () => {
  it('makes a whole embedded installation, for commands that come before the first server', async () => {
    const environment = { DATA_DIR: dataDir };
    expect(await runCli(['migrate'], environment)).toMatchObject({ code: 0, err: '' });
    expect((await stat(join(dataDir, 'encryption.key'))).mode & 0o777).toBe(0o600);
    expect(
      await runCli(['admin', 'add', 'anna', '--password-file', '-'], environment, 'a long password, once'),
    ).toMatchObject({ code: 0, err: '' });
    const server = await startServerProcess(environment);
    const { output } = await server.stop();
    // There is an administrator: none is made, no password shown.
    expect(output).not.toContain('The first administrator is');
  });
});
