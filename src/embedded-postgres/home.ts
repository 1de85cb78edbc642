import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, open, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

import { ServiceError } from '../kernel/errors.ts';
import { folderIdentity, isOursAlone } from './untrusted-files.ts';

/**
 * The home of a cluster outside its data folder. It belongs to root and is passable like root's data folder, so that
 * PostgreSQL's account can change nothing in it but the cluster and the socket's folder.
 */
const OWNER_FILE = 'data-folder';

interface HomeOwner {
  readonly path: string;
  readonly identity: string;
}

/** @returns a new home, which belongs to the data folder */
export async function makeHome(prefix: string, dataFolder: string): Promise<string> {
  const home = await mkdtemp(prefix);
  await chmod(home, 0o711);
  await writeOwner(home, await ownerFor(dataFolder));
  return home;
}

/** Removes a home without a cluster. */
export async function removeHome(home: string): Promise<void> {
  await rm(join(home, OWNER_FILE), { force: true });
  await rmdir(home).catch(() => undefined);
}

/**
 * Verifies that the home belongs to the data folder: a copied data folder has a copy of the signpost, and no database.
 * A home belongs to a folder that is identical to the recorded one, perhaps moved, or has its path, as after a restore.
 * @throws ServiceError 'database.unavailable' if the home belongs to another data folder, or another account may write
 *   there
 */
export async function assertHomeOf(dataFolder: string, home: string, signpost: string): Promise<void> {
  if (!(await isOursAlone(home))) {
    throw new ServiceError(
      'database.unavailable',
      `${signpost} leads to ${home}, which must be a folder of ours that nobody else may write`,
    );
  }
  const owner = await ownerFor(dataFolder);
  const noted = await readOwner(home);
  if (noted !== undefined && noted.path !== owner.path && noted.identity !== owner.identity) {
    throw new ServiceError(
      'database.unavailable',
      `${signpost} leads to the database of ${noted.path}, of which this folder is a copy. If it takes the place of that folder, remove the file ${join(home, OWNER_FILE)}. Else stop the server of that folder, copy ${home}, name the copy in ${signpost}, and remove that file there`,
    );
  }
  if (noted?.path !== owner.path || noted.identity !== owner.identity) {
    await writeOwner(home, owner);
  }
}

async function ownerFor(dataFolder: string): Promise<HomeOwner> {
  return { path: dataFolder, identity: (await folderIdentity(dataFolder)) ?? '' };
}

async function readOwner(home: string): Promise<HomeOwner | undefined> {
  const path = join(home, OWNER_FILE);
  try {
    return JSON.parse(await readFile(path, 'utf8')) as HomeOwner;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw new ServiceError('database.unavailable', `${path} cannot be read; remove it`, { cause: error });
  }
}

async function writeOwner(home: string, owner: HomeOwner): Promise<void> {
  const aside = join(home, `${OWNER_FILE}.${randomUUID()}`);
  const file = await open(aside, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(owner)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(aside, join(home, OWNER_FILE));
}
