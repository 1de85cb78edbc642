import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import files, { mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { fileErrorText, NewFile, PipedFile } from '../../../../src/cli/files.ts';
import { fakeIo } from '../../fake-io.ts';
import { temporaryFolder } from '../../../support/values/temporary-folder.ts';

// As on a file system without hard links: exFAT, and many network shares.
beforeAll(() => {
  jest.spyOn(files, 'link').mockRejectedValue(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
  syncBuiltinESMExports();
});
afterAll(() => {
  jest.restoreAllMocks();
  syncBuiltinESMExports();
});

const root = temporaryFolder();
let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'each-'));
  path = join(folder, 'backup.age');
});

describe('the file of a backup', () => {
  it('gets its name when it is complete, without hard links, too', async () => {
    const file = await NewFile.begin(path, false);
    await file.write(Buffer.from('abc'));
    expect(await readdir(folder)).not.toContain('backup.age');
    expect(await file.finish()).toMatchObject({ bytes: 3 });
    await file.discard();
    expect(await readdir(folder)).toEqual(['backup.age']);
    expect(await readFile(path, 'utf8')).toBe('abc');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('replaces none that has come meanwhile', async () => {
    const file = await NewFile.begin(path, false);
    await writeFile(path, 'other');
    await expect(file.finish()).rejects.toThrow(`cannot write ${path}: there is such a file already`);
    await file.discard();
    expect(await readFile(path, 'utf8')).toBe('other');
    expect(await readdir(folder)).toEqual(['backup.age']);
  });

  it('replaces one where that was asked for, and a link instead of the file that it names', async () => {
    await writeFile(join(folder, 'target'), 'target');
    await symlink('target', path);
    const file = await NewFile.begin(path, true);
    await file.write(Buffer.from('abc'));
    await file.finish();
    expect(await readFile(path, 'utf8')).toBe('abc');
    expect(await readFile(join(folder, 'target'), 'utf8')).toBe('target');
  });

  it('is refused at once in the place of a link, also of one to nothing', async () => {
    await symlink('nothing', path);
    await expect(NewFile.begin(path, false)).rejects.toThrow(`${path} is there already`);
  });

  it('may be standard output, which fails where its reader ends', async () => {
    const io = fakeIo();
    const file = new PipedFile(io);
    await file.write(Buffer.from('abc'));
    expect(await file.finish()).toEqual({
      bytes: 3,
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    });
    expect(io.out()).toBe('abc');
    const ended = Object.assign(new Error('EPIPE'), { code: 'EPIPE' });
    const broken = new PipedFile({ isTTY: false, writeBytes: () => Promise.reject(ended) });
    await expect(broken.write(Buffer.from('abc'))).rejects.toThrow('its reader has ended');
    expect(() => new PipedFile(fakeIo({ terminal: { columns: 80 } }))).toThrow('is a terminal');
  });

  it('on a full disk says so', () => {
    expect(fileErrorText(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))).toBe('the disk is full');
  });
});
