import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FileBounds } from '../../../src/resolvers/sources/file-bounds.ts';
import { readPasswdFile } from '../../../src/resolvers/sources/passwd/passwd-file.ts';
import { eventualRefusal } from '../../support/values/refusal.ts';

const ANNA = 'anna:x:1:1:::\n';

/** Has the folders `open` and `opener` with a file each, beside the file `secret`. */
let root: string;
let bounds: FileBounds;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tankeeper-bounds-'));
  for (const folder of ['open', 'opener']) {
    await mkdir(join(root, folder));
    await writeFile(join(root, folder, 'users'), ANNA);
  }
  await writeFile(join(root, 'secret'), 'eve:x:1:1:::\n');
  bounds = boundedBy(join(root, 'open'));
});
afterEach(() => rm(root, { recursive: true }));

function boundedBy(...folders: readonly string[]): FileBounds {
  return new FileBounds({ folders, timeoutMs: 30_000 });
}

const refusal = async (fileName: string, within = bounds): Promise<string> => {
  const { code, message } = await eventualRefusal(within.assertNamable(fileName));
  expect(code).toBe('resolver.invalid');
  expect(message).toContain('fileName');
  expect(message).not.toContain(root);
  return message;
};

describe('a file that is named over HTTP', () => {
  it('is below a folder that the variable names, whether it is there or not', async () => {
    await mkdir(join(root, 'open', 'deep'));
    for (const name of ['open/users', 'open//./users', 'open/deep/users', 'open/new/users', 'open/..users']) {
      await expect(bounds.assertNamable(`${root}/${name}`)).resolves.toBeUndefined();
    }
    const both = boundedBy(join(root, 'opener'), `${join(root, 'open')}/`);
    await expect(both.assertNamable(join(root, 'open', 'users'))).resolves.toBeUndefined();
  });

  it('is refused while there is no such folder, and the text names the variable and the command', async () => {
    expect(await refusal(join(root, 'open', 'users'), boundedBy())).toBe(
      'The setting fileName is refused: no file can be named over HTTP, as RESOLVER_FILE_DIRS names no folder. ' +
        'The command `tankeeper resolver` takes any file',
    );
  });

  it('is refused anywhere else, in the same words whether it is there or not', async () => {
    await symlink(join(root, 'secret'), join(root, 'open', 'link'));
    await symlink(join(root, 'nothing'), join(root, 'open', 'dangling'));
    await symlink(root, join(root, 'open', 'up'));
    await symlink('loop', join(root, 'open', 'loop'));
    // prettier-ignore
    const names = [
      'secret', 'nothing', 'open', 'opener/users', 'open/../secret', 'open/../nothing', 'open/../open/users',
      'open/link', 'open/dangling', 'open/up/secret', 'open/up/nothing', 'open/up/opener/users', 'open/loop',
      'open/up',
    ].map((name) => `${root}/${name}`);
    const others = ['open/users', '../open/users', '/proc/self/environ', '/dev/stdin', '/', ''];
    const texts = await Promise.all([...names, ...others].map((name) => refusal(name)));
    expect([...new Set(texts)]).toEqual([
      'The setting fileName is refused: over HTTP, only a file below a folder that RESOLVER_FILE_DIRS names can be ' +
        'named. The command `tankeeper resolver` takes any file',
    ]);
  });

  it('may be reached by a link that stays within, and be below a folder that is a link itself', async () => {
    await symlink(join(root, 'open', 'users'), join(root, 'open', 'link'));
    await expect(bounds.assertNamable(join(root, 'open', 'link'))).resolves.toBeUndefined();
    await symlink(join(root, 'opener'), join(root, 'mounted'));
    const mounted = boundedBy(join(root, 'mounted'));
    await expect(mounted.assertNamable(join(root, 'mounted', 'users'))).resolves.toBeUndefined();
  });
});

describe('a file that was named over HTTP', () => {
  beforeEach(async () => {
    await mkdir(join(root, 'open', 'deep'));
    await writeFile(join(root, 'open', 'deep', 'users'), ANNA);
  });
  const read = async (within = bounds): Promise<readonly string[]> => {
    const { content } = await readPasswdFile(join(root, 'open', 'deep', 'users'), undefined, within);
    return [...content.byLogin.keys()];
  };
  const OUTSIDE = 'it was named over HTTP and is not below a folder that RESOLVER_FILE_DIRS names';

  it('is read where it was named', async () => {
    expect(await read()).toEqual(['anna']);
  });

  it('is read no more once the variable names other folders', async () => {
    await expect(read(boundedBy())).rejects.toThrow(OUTSIDE);
    await expect(read(boundedBy(join(root, 'opener')))).rejects.toThrow(OUTSIDE);
  });

  it.each([
    ['itself', 'deep/users', 'secret'],
    ['by its folder', 'deep', 'opener'],
  ])('is not read once it is replaced by a link that leads out: %s', async (_, replaced, by) => {
    await rm(join(root, 'open', replaced), { recursive: true });
    await symlink(join(root, by), join(root, 'open', replaced));
    await expect(read()).rejects.toThrow(OUTSIDE);
  });

  it('is not read where it becomes such a link between the look at its name and its opening', async () => {
    const swapping = new (class extends FileBounds {
      override async holds(fileName: string): Promise<boolean> {
        const isHeld = await super.holds(fileName);
        await symlink(join(root, 'secret'), `${fileName}.link`);
        await rename(`${fileName}.link`, fileName);
        return isHeld;
      }
    })({ folders: [join(root, 'open')], timeoutMs: 30_000 });
    await expect(read(swapping)).rejects.toThrow(OUTSIDE);
  });
});
