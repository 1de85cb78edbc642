import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { systemRandom } from '../../src/kernel/system-random.ts';
import {
  appendKey,
  createKeyFile,
  isReadableByOthers,
  KeyFileKeys,
  readKeyFile,
} from '../../src/keys/key-file.ts';
import { keyIdOf } from '../../src/keys/vault.ts';
import { eventualRefusal } from '../support/values/refusal.ts';
import { makeNamedPipe } from '../support/servers/named-pipe.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';

const ONE = Buffer.alloc(32, 1);
const TWO = Buffer.alloc(32, 2);

const root = temporaryFolder();
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(root, 'each-'));
  file = join(folder, 'data', 'encryption.key');
});

async function write(text: string | Buffer, mode = 0o600): Promise<void> {
  await mkdir(join(folder, 'data'), { recursive: true });
  await writeFile(file, text);
  await chmod(file, mode);
}

describe('a key file that is made', () => {
  it('holds a new key that only its owner may read, in a folder that only its owner may enter', async () => {
    const key = await createKeyFile(file, systemRandom);
    expect(key).toHaveLength(32);
    expect(await readKeyFile(file)).toEqual({ keys: [key], warnings: [] });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
    expect(await readFile(file, 'utf8')).toContain('Keep a copy in a safe place');
  });

  it('never takes the place of one that is there', async () => {
    await write('something else');
    const refusal = await eventualRefusal(createKeyFile(file, systemRandom));
    expect([refusal.code, refusal.message]).toEqual([
      'key.unavailable',
      `The key file ${file} cannot be used: it cannot be made (EEXIST)`,
    ]);
    expect(await readFile(file, 'utf8')).toBe('something else');
  });

  it('does not follow a link to somewhere else', async () => {
    await mkdir(join(folder, 'data'));
    await symlink(join(folder, 'elsewhere'), file);
    expect((await eventualRefusal(createKeyFile(file, systemRandom))).message).toContain('EEXIST');
  });
});

describe('a key file that is read', () => {
  it('holds keys in the order of their lines, and comments', async () => {
    const lines = [
      '# current',
      `  ${TWO.toString('base64')}  # since May`,
      '',
      `${ONE.toString('base64')}\r`,
    ];
    await write(lines.join('\n'));
    expect((await readKeyFile(file))?.keys).toEqual([TWO, ONE]);
  });

  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'it holds no key'],
    ['comments alone', '# key\n\n', 'it holds no key'],
    [
      'a key that is too short',
      Buffer.alloc(31).toString('base64'),
      'its line 1 is not a base64 key of 32 bytes',
    ],
    [
      'a key that is too long',
      Buffer.alloc(33).toString('base64'),
      'its line 1 is not a base64 key of 32 bytes',
    ],
    [
      'a key that was cut',
      `# x\n${ONE.toString('base64').slice(0, 40)}`,
      'its line 2 is not a base64 key of 32 bytes',
    ],
    ['hexadecimal digits', ONE.toString('hex'), 'its line 1 is not a base64 key of 32 bytes'],
    ['raw bytes', Buffer.alloc(96, 0xfe), 'its line 1 is not a base64 key of 32 bytes'],
    [
      'two keys in a line',
      `${ONE.toString('base64')} ${TWO.toString('base64')}`,
      'its line 1 is not a base64 key',
    ],
    ['too much', 'x'.repeat(70_000), 'it has more than 65536 bytes'],
  ])('that holds %s is refused with a text that names file and fault', async (_what, content, reason) => {
    await write(content);
    const refusal = await eventualRefusal(readKeyFile(file));
    expect(refusal.code).toBe('key.unavailable');
    expect(refusal.message).toContain(`The key file ${file} cannot be used: ${reason}`);
    expect(refusal.message).not.toContain(ONE.toString('base64').slice(0, 12));
  });

  it.each([0o620, 0o602, 0o666])('that others may write is refused (mode %o)', async (mode) => {
    await write(ONE.toString('base64'), mode);
    const refusal = await eventualRefusal(readKeyFile(file));
    expect(refusal.message).toContain(`others may write it (mode ${mode.toString(8)})`);
  });

  it.each([
    [0o440, 0, 1000, false],
    [0o640, 0, 1000, false],
    [0o440, 1000, 1000, true],
    [0o444, 0, 1000, true],
    [0o400, 1000, 1000, false],
  ])('of mode %o and owner %i can be read by others than the user %i: %p', (mode, uid, user, expected) => {
    expect(isReadableByOthers({ mode, uid }, user)).toBe(expected);
  });

  it.each([0o644, 0o440, 0o604])('that others may read is used with a warning (mode %o)', async (mode) => {
    await write(ONE.toString('base64'), mode);
    const found = await readKeyFile(file);
    expect(found?.keys).toEqual([ONE]);
    expect(found?.warnings).toEqual([
      `the key file ${file} can be read by others (mode ${mode.toString(8)}); chmod go-r mends that, for a mounted Secret defaultMode: 0440`,
    ]);
  });

  it('that is a folder or a pipe is refused, without waiting for anybody', async () => {
    await mkdir(file, { recursive: true, mode: 0o700 });
    expect((await eventualRefusal(readKeyFile(file))).message).toContain('it is not a regular file');
    await rm(file, { recursive: true });
    makeNamedPipe(file);
    expect((await eventualRefusal(readKeyFile(file))).message).toContain('it is not a regular file');
  });

  it('behind something that is no folder is refused, not taken for missing', async () => {
    await writeFile(join(folder, 'data'), '');
    expect((await eventualRefusal(readKeyFile(file))).message).toContain('it cannot be opened (ENOTDIR)');
  });
});

describe('adding a key to a file', () => {
  let first: Buffer;
  beforeEach(async () => {
    first = await createKeyFile(file, systemRandom);
  });
  const keys = async (): Promise<readonly Buffer[]> => (await readKeyFile(file))?.keys ?? [];

  it('leaves what is there as it is, also its mode, and nothing beside it', async () => {
    await chmod(file, 0o640);
    const before = await readFile(file, 'utf8');
    const second = await appendKey(file, systemRandom);
    expect((await readFile(file, 'utf8')).startsWith(before)).toBe(true);
    expect(await keys()).toEqual([first, second]);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(await readdir(join(folder, 'data'))).toEqual(['encryption.key']);
  });

  it('works where its last line does not end, and where a link leads to it', async () => {
    await writeFile(file, first.toString('base64'));
    const link = join(folder, 'link.key');
    await symlink(file, link);
    const second = await appendKey(link, systemRandom);
    expect(await keys()).toEqual([first, second]);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
  });

  it('changes nothing where the file cannot be used', async () => {
    await chmod(file, 0o666);
    const source = new KeyFileKeys({ file, random: systemRandom });
    expect((await eventualRefusal(source.provide([]))).code).toBe('key.unavailable');
    expect((await eventualRefusal(appendKey(join(folder, 'missing'), systemRandom))).message).toContain(
      'cannot be written (ENOENT)',
    );
  });

  it('takes one of the file that nobody knows before it makes a new one', async () => {
    const source = new KeyFileKeys({ file, random: systemRandom });
    const byHand = await source.provide([]);
    expect([byHand.keyId, byHand.isMade]).toEqual([keyIdOf(first), false]);
    const made = await source.provide([byHand]);
    expect([made.keyId, made.isMade]).toEqual([keyIdOf((await keys())[1] ?? first), true]);
    expect(await source.provide([byHand])).toMatchObject({ keyId: made.keyId, isMade: false });
  });
});
