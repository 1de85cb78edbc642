import { randomUUID } from 'node:crypto';
import { link, lstat, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { ServiceError } from '../kernel/errors.ts';
import type { SystemAccount } from './account.ts';
import { assertHomeOf } from './home.ts';
import { readForeignFile } from './untrusted-files.ts';

/** The place of a data folder's cluster, and the account that runs it. */
export interface ClusterLocation {
  /** The data folder, all links resolved. */
  readonly dataFolder: string;
  /** The folder that holds the cluster and its socket: the data folder, or one that the account reaches. */
  readonly home: string;
  /** PostgreSQL's own data directory. */
  readonly cluster: string;
  /** The account that runs PostgreSQL; undefined: that of this process. */
  readonly account: SystemAccount | undefined;
  /** The account also owns the data folder; new files there are then created as that account. */
  readonly accountOwnsFolder: boolean;
}

const SIGNPOST = 'postgres.location';
const CLUSTER = 'postgres';
const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_GROUP = 0o020;

/**
 * Finds the data folder.
 * @param create makes a missing one
 * @returns its path, all links resolved
 * @throws ServiceError 'installation.missing'; 'database.unavailable' if any account may write there: its cluster,
 *   signpost or key would be taken for ours
 */
export async function openDataFolder(dataDir: string, create: boolean): Promise<string> {
  const requested = resolve(dataDir);
  if (create) {
    // PostgreSQL's account may pass root's own folder but not list it, so that the cluster can be inside.
    await mkdir(requested, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  }
  const folder = await realpath(requested).catch((error: unknown) => {
    throw isCode(error, 'ENOENT') ? noClusterIn(requested) : error;
  });
  const { mode, gid } = await stat(folder);
  const byGroup = process.getuid?.() === 0 && gid !== 0 && (mode & WRITABLE_BY_GROUP) !== 0;
  if (byGroup || (mode & WRITABLE_BY_ALL) !== 0) {
    const [who, change] = byGroup ? ['a group', 'g-w'] : ['anybody', 'o-w'];
    throw new ServiceError(
      'database.unavailable',
      `${who} may write in the data folder ${folder}: chmod ${change} it, or set DATA_DIR to a folder in it, which is then made`,
    );
  }
  return folder;
}

/**
 * Root creates a cluster only in a folder of its own.
 * @throws ServiceError 'database.unavailable' if another user could replace the folder
 */
export async function assertMayCreate(dataFolder: string): Promise<void> {
  const { uid } = await stat(dataFolder);
  if (process.getuid?.() === 0 && uid !== 0) {
    throw othersFolder(dataFolder, uid);
  }
}

/**
 * Finds the cluster of a data folder: inside, or at the path of the signpost. The owner of a cluster runs it.
 * @returns undefined if there is none yet
 * @throws ServiceError 'database.unavailable' if it belongs to another account or another data folder, or is missing at
 *   the path of the signpost
 */
export async function locateCluster(dataFolder: string): Promise<ClusterLocation | undefined> {
  const posted = await readSignpost(dataFolder);
  if (posted !== undefined && process.getuid?.() === 0) {
    // Root creates signposts in its own folders only: in another's, it may lead anywhere.
    const { uid } = await stat(dataFolder);
    if (uid !== 0) {
      throw othersFolder(dataFolder, uid);
    }
  }
  const found = await clusterIn(dataFolder, posted ?? dataFolder);
  if (found !== undefined && posted !== undefined) {
    await assertHomeOf(dataFolder, posted, join(dataFolder, SIGNPOST));
  }
  if (found === undefined && posted !== undefined) {
    throw new ServiceError(
      'database.unavailable',
      `the embedded database of ${dataFolder} is gone: ${join(dataFolder, SIGNPOST)} says that it lives in ${posted}. Bring it back, or remove ${SIGNPOST} to begin with an empty one`,
    );
  }
  return found;
}

/** @returns the place of the cluster whose home is `home`, even before its creation */
export function clusterAt(
  dataFolder: string,
  home: string,
  account: SystemAccount | undefined,
  accountOwnsFolder = false,
): ClusterLocation {
  return { dataFolder, home, cluster: join(home, CLUSTER), account, accountOwnsFolder };
}

/**
 * Creates the signpost in the data folder: its cluster is in `home`.
 * @returns true if it was created; false if another process was first and named another place
 */
export async function postSign(dataFolder: string, home: string): Promise<boolean> {
  const text = [
    '# The embedded PostgreSQL of this data folder lives in the folder below, because the account that it runs as cannot',
    '# reach this one. Both belong together: back up, move and remove them together, and keep this file.',
    home,
    '',
  ].join('\n');
  // In containers that share the folder, two processes may have the same process id.
  const aside = join(dataFolder, `${SIGNPOST}.${randomUUID()}`);
  await writeFile(aside, text, { mode: 0o644, flush: true });
  try {
    // Unlike a rename, a link never replaces an existing file.
    await link(aside, join(dataFolder, SIGNPOST));
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) {
      return false;
    }
    throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

async function readSignpost(dataFolder: string): Promise<string | undefined> {
  try {
    const text = await readForeignFile(join(dataFolder, SIGNPOST));
    return text.split('\n').find((line) => line.startsWith('/'));
  } catch (error) {
    if (isCode(error, 'ENOENT')) {
      return undefined;
    }
    throw error;
  }
}

async function clusterIn(dataFolder: string, home: string): Promise<ClusterLocation | undefined> {
  const { cluster } = clusterAt(dataFolder, home, undefined);
  try {
    const status = await lstat(cluster);
    if (status.isSymbolicLink()) {
      throw new ServiceError(
        'database.unavailable',
        `${cluster} is a link: a copy of this data folder would lead to the same database. Set DATA_DIR to the folder that has the database itself`,
      );
    }
    await stat(join(cluster, 'PG_VERSION'));
    const account = accountOf(status, cluster);
    return clusterAt(dataFolder, home, account, await ownsFolder(account, dataFolder));
  } catch (error) {
    if (isCode(error, 'ENOENT')) {
      return undefined;
    }
    throw isCode(error, 'EACCES') ? notOurs(cluster) : error;
  }
}

function accountOf(owner: { uid: number; gid: number }, cluster: string): SystemAccount | undefined {
  const me = process.getuid?.();
  if (owner.uid !== 0 && me === 0) {
    return { uid: owner.uid, gid: owner.gid };
  }
  if (owner.uid !== 0 && me === owner.uid) {
    return undefined;
  }
  throw notOurs(cluster);
}

/** @throws ServiceError 'database.unavailable' if root would work in the folder of a third account */
async function ownsFolder(account: SystemAccount | undefined, dataFolder: string): Promise<boolean> {
  const { uid } = await stat(dataFolder);
  if (account !== undefined && uid !== 0 && uid !== account.uid) {
    throw othersFolder(dataFolder, uid);
  }
  return uid === account?.uid;
}

function othersFolder(dataFolder: string, uid: number): ServiceError {
  return new ServiceError(
    'database.unavailable',
    `the data folder ${dataFolder} belongs to another user (number ${uid}), who could put anything there: run tankeeper as that user, or chown the folder to root`,
  );
}

function notOurs(cluster: string): ServiceError {
  const advice =
    process.getuid?.() === 0
      ? 'belongs to root, whom PostgreSQL refuses: give it to the account tankeeper with chown -R'
      : 'belongs to another user: run as its owner, or give it to the right one with chown -R';
  return new ServiceError(
    'database.unavailable',
    `the embedded database ${cluster} ${advice}, or set DATABASE_URL`,
  );
}

/** @returns the refusal of a process that may not create a missing cluster */
export function noClusterIn(dataFolder: string): ServiceError {
  return new ServiceError('installation.missing', `there is no embedded database in ${dataFolder}`);
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
