import { createHash } from 'node:crypto';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  rename,
  rm,
} from 'node:fs/promises';
import { join } from 'node:path';

import { ServiceError } from '../kernel/errors.ts';

/**
 * Copies PostgreSQL (some 60 MB) to where every account reaches it: root's checkout often lies in a folder that only
 * root may enter, and PostgreSQL must not run as root. Done once for each build; the copy appears complete or not at all.
 * @returns the folder of the copy
 * @throws ServiceError 'database.unavailable' when others could change the shared folder
 */
export async function copyBinaries(nativeFolder: string, sharedFolder: string): Promise<string> {
  await prepareSharedFolder(sharedFolder);
  const target = join(sharedFolder, await copyName(nativeFolder));
  if (await isOursAlone(target)) {
    return target;
  }
  const aside = await mkdtemp(`${target}.`);
  try {
    await chmod(aside, 0o755);
    for (const part of ['bin', 'lib', 'share']) {
      await copyFolder(join(nativeFolder, part), join(aside, part));
    }
    await copyDurably(join(nativeFolder, 'pg-symlinks.json'), join(aside, 'pg-symlinks.json'));
    await rename(aside, target);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    // Somebody else was quicker: a folder with content is never replaced.
    if (!(await isOursAlone(target))) {
      throw error;
    }
  }
  return target;
}

/**
 * Creates root's folder for what must lie outside the data folder.
 * @throws ServiceError 'database.unavailable' when others could change it
 */
export async function prepareSharedFolder(path: string): Promise<void> {
  if ((await mkdir(path, { recursive: true })) !== undefined) {
    await chmod(path, 0o755);
  }
  if (!(await isOursAlone(path))) {
    throw new ServiceError(
      'database.unavailable',
      `${path} must be a folder of ours that nobody else may write; correct that, or set DATABASE_URL to a PostgreSQL server of your own`,
    );
  }
}

/** @returns whether it is a folder of this user's, no link, that nobody else may write */
export async function isOursAlone(path: string): Promise<boolean> {
  const status = await lstat(path).catch(() => undefined);
  return status?.isDirectory() === true && status.uid === process.getuid?.() && (status.mode & 0o022) === 0;
}

async function copyName(nativeFolder: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(nativeFolder, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const build = createHash('sha256').update(await readFile(join(nativeFolder, 'bin', 'postgres')));
  return `postgresql-${manifest.version}-${build.digest('hex').slice(0, 12)}`;
}

async function copyFolder(source: string, target: string): Promise<void> {
  await mkdir(target);
  await chmod(target, 0o755);
  const entries = await readdir(source, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const [from, to] = [join(source, entry.name), join(target, entry.name)];
      if (entry.isDirectory()) {
        await copyFolder(from, to);
      } else if (entry.isFile() && !isForLinking(entry.name)) {
        await copyDurably(from, to);
      }
    }),
  );
}

/** Archives that only compilers need. */
function isForLinking(name: string): boolean {
  return name.endsWith('.a');
}

/** On disk before the rename that publishes it: a copy with holes after a power cut would never be noticed. */
async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await chmod(to, 0o755);
  const file = await open(to, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
