import { execFile } from 'node:child_process';
import { chmod, cp, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { accountOfRoot } from '../../../src/embedded-postgres/embedded-postgres.ts';
import { findPrograms, packagedBinaries } from '../../../src/embedded-postgres/programs.ts';
import { describeAsRoot, NOBODY, othersReach } from '../../embedded-postgres/support/as-root.ts';
import { ask, embeddedFolders, isServed } from '../../embedded-postgres/support/embedded-folders.ts';
import { openElsewhere } from '../../embedded-postgres/support/embedded-process.ts';

const folders = embeddedFolders();
afterEach(() => folders.clear());

const run = promisify(execFile);

/** A package as npm leaves it when it holds install scripts back: without the links between the libraries. */
async function packageWithoutLinks(folder: string): Promise<string> {
  const native = join(folder, 'native');
  await cp(packagedBinaries(), native, {
    recursive: true,
    verbatimSymlinks: true,
    filter: async (path) => !path.endsWith('.a') && !(await lstat(path)).isSymbolicLink(),
  });
  await cp(join(packagedBinaries(), '..', 'package.json'), join(folder, 'package.json'));
  return native;
}

describe('the programs of the embedded PostgreSQL', () => {
  it('are complete after an install that ran no scripts', async () => {
    const native = await packageWithoutLinks(await folders.make());
    const bin = await findPrograms({}, '/nowhere', native);
    expect((await run(join(bin, 'postgres'), ['--version'])).stdout).toContain('PostgreSQL');
  });

  it('say what to do on a platform for which there are none', () => {
    expect(() => packagedBinaries('sunos-sparc')).toThrow(
      /no embedded PostgreSQL for sunos-sparc: .*DATABASE_URL/,
    );
  });
});

describe('the data folder', () => {
  it('is not trusted when anybody may write there', async () => {
    const dataDir = await folders.make();
    await chmod(dataDir, 0o1777);
    await expect(folders.open({ dataDir })).rejects.toThrow(/others may write in the data folder/);
    expect(await readdir(dataDir)).toEqual([]);
  });
});

await describeAsRoot('as root', () => {
  it('keeps the database in a folder that its account cannot reach', async () => {
    const dataDir = join(await folders.make('closed'), 'data');
    const first = await folders.open({ dataDir });
    await ask(first.connection, 'CREATE TABLE kept AS SELECT 1 AS one');
    await first.close();
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    const second = await folders.open({ dataDir });
    expect(await ask(second.connection, 'SELECT one FROM kept')).toBe(1);
  });

  it('copies programs that this account cannot reach, once, though several want them', async () => {
    const native = await packageWithoutLinks(await folders.make('closed'));
    const sharedFolder = join(await folders.make(), 'shared');
    const account = await accountOfRoot();
    const find = () => findPrograms({ account }, sharedFolder, native);
    const [bin, other] = await Promise.all([find(), find()]);
    expect(other).toBe(bin);
    expect((await run(join(bin, 'postgres'), ['--version'], account)).stdout).toContain('PostgreSQL');
    const { ino } = await stat(bin);
    expect(await find()).toBe(bin);
    expect((await stat(bin)).ino).toBe(ino);
    expect(await readdir(sharedFolder)).toEqual([expect.stringMatching(/^postgresql-18\.[^/]*\d$/)]);
    await run('chown', [`${NOBODY.uid}`, sharedFolder]);
    await expect(find()).rejects.toThrow(/cannot be copied: .*must belong to root/);
  });

  it('goes on with the database of the ordinary user to whom it belongs, and makes none in the folder of one', async () => {
    const dataDir = join(await folders.make(), 'data');
    await (await folders.open({ dataDir })).close();
    await run('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, dataDir]);
    const { connection, close } = await folders.open({ dataDir });
    expect(await ask(connection, 'SELECT 1')).toBe(1);
    await close();
    expect((await run('find', [dataDir, '!', '-uid', String(NOBODY.uid)])).stdout).toBe('');

    const theirs = await folders.make('open', NOBODY);
    await expect(folders.open({ dataDir: theirs })).rejects.toThrow(/others may write/);
  });
});

// These run this checkout as another user, who has to get there.
if (await othersReach(import.meta.dirname)) {
  await describeAsRoot('as an ordinary user', () => {
    const options = { role: 'server', durable: false } as const;

    it('works in a folder of the own, whatever the environment holds, also beside commands of root', async () => {
      const dataDir = join(await folders.make('closed', NOBODY), 'data');
      const cluster = join(dataDir, 'postgres');
      folders.watch(cluster);
      const env = {
        LC_ALL: 'xx_YY.UTF-8',
        PGDATA: '/nowhere',
        PGHOST: 'nowhere',
        PGPORT: '1',
        PGUSER: 'x',
        PGDATABASE: 'x',
        PGSSLMODE: 'require',
        PGOPTIONS: '-c nonsense=1',
      };
      const user = await openElsewhere({ ...options, dataDir }, { ...NOBODY, env });
      expect(user.report).toEqual({ host: cluster });
      expect((await stat(cluster)).uid).toBe(NOBODY.uid);
      const root = await folders.open({ dataDir });
      expect(await ask(root.connection, 'SELECT 1')).toBe(1);
      await root.close();
      expect(await isServed(cluster)).toBe(true);
      await user.close();
      expect(await isServed(cluster)).toBe(false);
      expect(await readdir(dataDir)).toEqual(['postgres']);
    });

    it('is told when the database belongs to somebody else', async () => {
      const dataDir = join(await folders.make(), 'data');
      await (await folders.open({ dataDir })).close();
      const user = await openElsewhere({ ...options, dataDir }, { uid: 4711, gid: 4711 });
      expect(user.report.error).toContain('belongs to another user');
    });
  });
}
