import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { packagedBinaries, type SystemAccount } from '../../../src/embedded-postgres/programs.ts';
import { accountForNewCluster } from '../../../src/embedded-postgres/cluster.ts';
import { removeEmbeddedPostgres } from '../../../src/embedded-postgres/embedded-postgres.ts';
import { othersReach } from '../../embedded-postgres/support/as-root.ts';
import { ask, asRoot, embeddedFolders, isServed } from '../../embedded-postgres/support/embedded-folders.ts';
import { openElsewhere } from '../../embedded-postgres/support/embedded-process.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const folders = embeddedFolders();

afterEach(() => folders.clear());

/** An ordinary user, whom root can become. */
const NOBODY: SystemAccount = { uid: 65534, gid: 65534 };

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
    const nativeFolder = await packageWithoutLinks(await folders.make());
    const { connection } = await folders.open({ dataDir: join(await folders.make(), 'data'), nativeFolder });
    expect(await ask(connection, 'SELECT 1')).toBe(1);
  });

  it('say what to do on a platform for which there are none', () => {
    expect(() => packagedBinaries('sunos-sparc')).toThrow(
      /no embedded PostgreSQL for sunos-sparc; set DATABASE_URL/,
    );
  });

  it('say what to do when they do not start', async () => {
    const nativeFolder = await packageWithoutLinks(await folders.make());
    await rm(join(nativeFolder, 'lib'), { recursive: true });
    const sharedFolder = await folders.make();
    await expect(
      folders.open({ dataDir: join(await folders.make(), 'data'), nativeFolder, sharedFolder }),
    ).rejects.toMatchObject({
      code: 'database.unavailable',
      message: expect.stringContaining('set DATABASE_URL'),
    });
  });
});

describe('the data folder', () => {
  it.each(['777', '1777', '702'])('is not trusted when anybody may write there (mode %s)', async (mode) => {
    const dataDir = await folders.make();
    await chmod(dataDir, Number.parseInt(mode, 8));
    await expect(folders.open({ dataDir })).rejects.toMatchObject({
      code: 'database.unavailable',
      message: expect.stringContaining(`anybody may write in the data folder ${dataDir}`),
    });
    expect(await readdir(dataDir)).toEqual([]);
  });
});

describe('the cluster', () => {
  it('is not trusted when somebody else may enter it', async () => {
    const dataDir = join(await folders.make(), 'data');
    await folders.open({ dataDir });
    await chmod(join(dataDir, 'postgres'), 0o750);
    await expect(folders.open({ dataDir })).rejects.toThrow(/must belong to the database's user alone/);
  });
});

// These need to become another user, which only root can.
if (asRoot) {
  describe('as root', () => {
    let account: SystemAccount | undefined;
    beforeAll(async () => {
      account = await accountForNewCluster();
    });

    it('runs PostgreSQL as its unprivileged account', async () => {
      const dataDir = join(await folders.make(), 'data');
      await folders.open({ dataDir });
      const { uid, gid } = await stat(join(dataDir, 'postgres'));
      expect({ uid, gid }).toEqual(account);
      expect(uid).toBeGreaterThan(0);
    });

    it('keeps the database in a folder that this account cannot reach, and lets it reach nothing else there', async () => {
      const folder = await folders.make('closed');
      const dataDir = join(folder, 'data');
      const first = await folders.open({ dataDir });
      await ask(first.connection, 'CREATE TABLE kept AS SELECT 1 AS one');
      await first.close();
      // What the account may not do itself, it cannot have root do there.
      expect(await ownerAndMode(folder)).toEqual([0, 0o700]);
      expect(await ownerAndMode(dataDir)).toEqual([0, 0o700]);
      expect(await ownerAndMode(join(dataDir, 'postgres'))).toEqual([account?.uid, 0o700]);
      expect(await readdir(dataDir)).toEqual(['postgres']);

      const second = await folders.open({ dataDir, role: 'server' });
      expect(await ask(second.connection, 'SELECT one FROM kept')).toBe(1);
      await expect(folders.open({ dataDir, role: 'server' })).rejects.toMatchObject({
        code: 'data-folder.in-use',
      });
    });

    it('leaves nothing of it behind where the folder was made for a demo', async () => {
      const dataDir = join(await folders.make('closed'), 'data');
      await (await folders.open({ dataDir })).close();
      await removeEmbeddedPostgres(dataDir);
      expect(await readdir(dataDir)).toEqual([]);
    });

    it('copies programs that this account cannot reach, once', async () => {
      const nativeFolder = await packageWithoutLinks(await folders.make('closed'));
      const sharedFolder = join(await folders.make(), 'shared');
      const dataDir = join(await folders.make(), 'data');
      const first = await folders.open({ dataDir, sharedFolder, nativeFolder });
      expect(await ask(first.connection, 'SELECT 1')).toBe(1);
      await first.close();
      const copies = await readdir(sharedFolder);
      expect(copies).toEqual([expect.stringMatching(/^postgresql-18\..*-[0-9a-f]{12}$/)]);
      const { ino } = await stat(join(sharedFolder, copies[0] ?? ''));

      await folders.open({ dataDir, sharedFolder, nativeFolder });
      expect((await stat(join(sharedFolder, copies[0] ?? ''))).ino).toBe(ino);
    });

    it('does not keep programs in a shared folder that others may write', async () => {
      const nativeFolder = await packageWithoutLinks(await folders.make('closed'));
      const dataDir = join(await folders.make(), 'data');
      const sharedFolder = await folders.make();
      await chmod(sharedFolder, 0o777);
      await expect(folders.open({ dataDir, sharedFolder, nativeFolder })).rejects.toThrow(
        /that nobody else may write/,
      );
    });

    it('goes on with the database of the ordinary user to whom it belongs', async () => {
      const dataDir = join(await folders.make(), 'data');
      const before = await folders.open({ dataDir });
      await before.close();
      await chownAll(join(dataDir, 'postgres'), NOBODY);
      const { connection } = await folders.open({ dataDir });
      expect(await ask(connection, 'SELECT 1')).toBe(1);
      expect((await stat(connection.host)).uid).toBe(NOBODY.uid);
    });
  });
}

// These run Node and this checkout as another user, who has to get there.
if (asRoot && (await othersReach(import.meta.dirname)) && (await othersReach(dirname(process.execPath)))) {
  describe('as an ordinary user', () => {
    const options = { role: 'server', durable: false } as const;

    it('works in a folder of the own, whatever the environment holds', async () => {
      const dataDir = join(await folders.make('closed', NOBODY), 'data');
      folders.watch(join(dataDir, 'postgres'));
      const env = {
        LC_ALL: 'xx_YY.UTF-8',
        LANG: 'nonsense',
        PGDATA: '/nowhere',
        PGHOST: 'nowhere',
        PGPORT: '1',
        PGUSER: 'x',
        PGDATABASE: 'x',
        PGSSLMODE: 'require',
        PGOPTIONS: '-c nonsense=1',
        PGPASSWORD: 'x',
      };
      const user = await openElsewhere({ ...options, dataDir }, { ...NOBODY, env });
      expect(user.report).toEqual({ host: join(dataDir, 'postgres'), startedHere: true });
      expect((await stat(join(dataDir, 'postgres'))).uid).toBe(NOBODY.uid);
      await user.close();
      expect(await readdir(dataDir)).toEqual(['postgres']);
    });

    it('shares the database with commands of root, which let it run', async () => {
      const dataDir = join(await folders.make('closed', NOBODY), 'data');
      folders.watch(join(dataDir, 'postgres'));
      const user = await openElsewhere({ ...options, dataDir }, NOBODY);
      const root = await folders.open({ dataDir });
      expect(root.startedHere).toBe(false);
      expect(await ask(root.connection, 'SELECT 1')).toBe(1);
      await root.close();
      expect(await isServed(join(dataDir, 'postgres'))).toBe(true);
      await user.close();
      expect(await isServed(join(dataDir, 'postgres'))).toBe(false);
    });

    it('starts from a package without links that may not be written', async () => {
      const nativeFolder = await packageWithoutLinks(await folders.make());
      await chmod(join(nativeFolder, 'lib'), 0o555);
      const dataDir = join(await folders.make('closed', NOBODY), 'data');
      folders.watch(join(dataDir, 'postgres'));
      const user = await openElsewhere({ ...options, dataDir, nativeFolder }, NOBODY);
      expect(user.report).toMatchObject({ startedHere: true });
      await user.close();
      expect(await readdir(join(dataDir, 'postgres.programs'))).toHaveLength(1);
    });

    it('is told when the database belongs to somebody else', async () => {
      const dataDir = join(await folders.make(), 'data');
      await (await folders.open({ dataDir })).close();
      const user = await openElsewhere({ ...options, dataDir }, { uid: 4711, gid: 4711 });
      expect(user.report.error).toContain('belongs to another user');
    });
  });
}

async function ownerAndMode(path: string): Promise<[number, number]> {
  const { uid, mode } = await stat(path);
  return [uid, mode & 0o777];
}

async function chownAll(path: string, { uid, gid }: SystemAccount): Promise<void> {
  await chown(path, uid, gid);
  for (const entry of await readdir(path, { recursive: true })) {
    await chown(join(path, entry), uid, gid);
  }
}

afterEach(() => folders.clear());

const copyFolder = async (from: string, to: string, ...options: string[]): Promise<void> => {
  await promisify(execFile)('cp', ['-a', ...options, from, to]);
};

const postmasterFile = (dataDir: string): string => join(dataDir, 'postgres', 'postmaster.pid');

const COUNT = 'SELECT count(*)::int FROM kept';

const TORN = /If the folder is a copy of one whose database runs, stop that and copy it again/;

/** @returns an original that is open and has a table with a row, and where a copy of it is to be */
async function original() {
  const folder = await folders.make();
  const dataDir = join(folder, 'data');
  const copyDir = join(folder, 'copy');
  const opened = await folders.open({ dataDir });
  await ask(opened.connection, 'CREATE TABLE kept AS SELECT 1 AS number');
  // Nothing is written from then on, so that a copy of it is whole.
  await ask(opened.connection, 'ALTER SYSTEM SET autovacuum = off');
  await ask(opened.connection, 'SELECT pg_reload_conf()');
  await ask(opened.connection, 'CHECKPOINT');
  return { ...opened, dataDir, copyDir };
}

describe('a copy of the data folder', () => {
  it('does not lead to the original that runs, nor stops it: a message says what to do', async () => {
    const { connection, dataDir, copyDir } = await original();
    await copyFolder(dataDir, copyDir);
    const before = await readFile(postmasterFile(dataDir), 'utf8');
    await expect(folders.open({ dataDir: copyDir })).rejects.toMatchObject({
      code: 'database.unavailable',
      message: expect.stringMatching(TORN),
    });
    expect(await ask(connection, COUNT)).toBe(1);
    expect(await readFile(postmasterFile(dataDir), 'utf8')).toBe(before);
  });

  it('has a database of its own beside the original, once its operator says so', async () => {
    const { connection, dataDir, copyDir, close } = await original();
    await copyFolder(dataDir, copyDir);
    await rm(postmasterFile(copyDir));
    const copy = await folders.open({ dataDir: copyDir });
    expect(copy.startedHere).toBe(true);
    expect(copy.connection.host).not.toBe(connection.host);
    await ask(connection, 'INSERT INTO kept SELECT 2');
    expect([await ask(connection, COUNT), await ask(copy.connection, COUNT)]).toEqual([2, 1]);
    await copy.close();
    expect(await ask(connection, COUNT)).toBe(2);
    await close();
    expect(await isServed(join(dataDir, 'postgres'))).toBe(false);
  });

  it('that was made while the original ran works by itself when that has stopped, and so does the original', async () => {
    const { dataDir, copyDir, close } = await original();
    await copyFolder(dataDir, copyDir);
    await close();
    const copy = await folders.open({ dataDir: copyDir });
    expect(copy.messages.join()).toContain('PostgreSQL recovers what is there');
    const again = await folders.open({ dataDir });
    await ask(again.connection, 'INSERT INTO kept SELECT 2');
    expect([await ask(again.connection, COUNT), await ask(copy.connection, COUNT)]).toEqual([2, 1]);
  });
});

describe('a data folder that was moved while its database ran', () => {
  it('leads to its database, which stops in the end', async () => {
    const { dataDir, copyDir, close, connection } = await original();
    await rename(dataDir, copyDir);
    const moved = await folders.open({ dataDir: copyDir });
    expect(moved.startedHere).toBe(false);
    expect(await ask(moved.connection, COUNT)).toBe(1);
    expect(moved.connection.host).not.toBe(connection.host);
    await close();
    expect(await ask(moved.connection, COUNT)).toBe(1);
    await moved.close();
    expect(await isServed(join(copyDir, 'postgres'))).toBe(false);
  });
});

describe('what leads to the database of another folder', () => {
  it('is not followed where it is a hard link of its socket', async () => {
    const { connection, dataDir, copyDir } = await original();
    await copyFolder(dataDir, copyDir, '--link');
    await writeFile(`${postmasterFile(copyDir)}.own`, await readFile(postmasterFile(dataDir)));
    await rename(`${postmasterFile(copyDir)}.own`, postmasterFile(copyDir));
    await expect(folders.open({ dataDir: copyDir })).rejects.toThrow(
      /the socket for the embedded database .* leads to another one/,
    );
    expect(await ask(connection, COUNT)).toBe(1);
  });

  it('is not followed where it is a link to its files', async () => {
    const { connection, dataDir, copyDir } = await original();
    await mkdir(copyDir, { mode: 0o711 });
    await symlink(join(dataDir, 'postgres'), join(copyDir, 'postgres'));
    await expect(folders.open({ dataDir: copyDir })).rejects.toThrow(/is a link: a copy of this data folder/);
    expect(await ask(connection, COUNT)).toBe(1);
  });
});
