import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ask, embeddedFolders, isServed } from '../../embedded-postgres/support/embedded-folders.ts';

const folders = embeddedFolders();
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
