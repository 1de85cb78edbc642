import {
  chmod,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { appendKey, createKeyFile, readKeyFile, removeKey, KeyFileKeys } from '../../src/keys/key-file.ts';
import { keyIdOf } from '../../src/keys/vault.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';

let folder: string;
let file: string;
let first: Buffer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-key-edit-'));
  file = join(folder, 'encryption.key');
  first = await createKeyFile(file, systemRandom);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const keys = async (): Promise<readonly Buffer[]> => (await readKeyFile(file))?.keys ?? [];

describe('adding a key to a file', () => {
  it('leaves what is there as it is, also its mode, and nothing beside it', async () => {
    await chmod(file, 0o440);
    const before = await readFile(file, 'utf8');
    const second = await appendKey(file, systemRandom);
    expect((await readFile(file, 'utf8')).startsWith(before)).toBe(true);
    expect(await keys()).toEqual([first, second]);
    expect((await stat(file)).mode & 0o777).toBe(0o440);
    expect(await readdir(folder)).toEqual(['encryption.key']);
  });

  it('works where its last line does not end, where a link leads to it, and where a try was interrupted', async () => {
    await writeFile(file, first.toString('base64'));
    await writeFile(`${file}.new`, 'half');
    const link = join(folder, 'link.key');
    await symlink(file, link);
    const second = await appendKey(link, systemRandom);
    expect(await keys()).toEqual([first, second]);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readlink(link)).toBe(file);
  });

  it('changes nothing where the file cannot be used', async () => {
    await chmod(file, 0o666);
    expect((await eventualRefusal(new KeyFileKeys({ file, random: systemRandom }).provide([]))).code).toBe(
      'key.unavailable',
    );
    const missing = join(folder, 'missing');
    expect((await eventualRefusal(appendKey(missing, systemRandom))).message).toContain(
      'cannot be written (ENOENT)',
    );
  });
});

describe('taking a key out of a file', () => {
  it('leaves the others, and says whether it was there', async () => {
    const second = await appendKey(file, systemRandom);
    expect(await removeKey(file, keyIdOf(first))).toBe(true);
    expect(await keys()).toEqual([second]);
    const text = await readFile(file, 'utf8');
    expect(text).not.toContain(keyIdOf(first));
    expect(text).toContain(`# Key ${keyIdOf(second)}`);
    expect(await removeKey(file, keyIdOf(first))).toBe(false);
  });

  it('never takes the last one', async () => {
    expect((await eventualRefusal(removeKey(file, keyIdOf(first)))).message).toContain(
      'it holds no other key',
    );
    expect(await keys()).toEqual([first]);
  });
});

describe('a key to be registered', () => {
  it('is one of the file that nobody knows, else a new one', async () => {
    const material = new KeyFileKeys({ file, random: systemRandom });
    const byHand = await material.provide([]);
    expect([byHand.keyId, byHand.isMade]).toEqual([keyIdOf(first), false]);
    const made = await material.provide([byHand]);
    expect([made.keyId, made.isMade]).toEqual([keyIdOf((await keys())[1] ?? first), true]);
    expect(await material.provide([byHand])).toMatchObject({ keyId: made.keyId, isMade: false });
  });
});
