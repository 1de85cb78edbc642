import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { ServiceError } from '../kernel/errors.ts';
import type { Account } from './embedded-account.ts';

/** Where the cluster of a data folder lives, and who runs it. */
export interface ClusterLocation {
  /** The data folder, all links resolved. */
  readonly dataFolder: string;
  /** The folder that holds the cluster and its socket: the data folder, or one that the account reaches. */
  readonly home: string;
  /** PostgreSQL's own data directory. */
  readonly cluster: string;
  /** Whom PostgreSQL runs as; undefined: as this process. */
  readonly account: Account | undefined;
}

const SIGNPOST = 'postgres.location';
const CLUSTER = 'postgres';
const WRITABLE_BY_ALL = 0o002;

/**
 * Finds the data folder.
 * @param create whether to make it where it is missing
 * @returns its path, all links resolved
 * @throws ServiceError 'installation.missing'; 'database.unavailable' when anybody may write there: a cluster, signpost or
 *   key that they put there first would be taken for ours
 */
export async function openDataFolder(dataDir: string, create: boolean): Promise<string> {
  const wanted = resolve(dataDir);
  if (create) {
    // Root's own folder lets PostgreSQL's account pass (not look around), so that the cluster can live inside.
    await mkdir(wanted, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  }
  const folder = await realpath(wanted).catch((error: unknown) => {
    throw isCode(error, 'ENOENT') ? noClusterIn(wanted) : error;
  });
  if (((await stat(folder)).mode & WRITABLE_BY_ALL) !== 0) {
    throw new ServiceError(
      'database.unavailable',
      `anybody may write in the data folder ${folder}: chmod o-w it, or set DATA_DIR to a folder in it, which is then made`,
    );
  }
  return folder;
}

/**
 * Finds the cluster of a data folder: inside, or where the signpost leads. The owner of a cluster runs it.
 * @returns undefined when there is none yet
 * @throws ServiceError 'database.unavailable' when it is somebody else's, or is gone from where the signpost leads
 */
export async function locateCluster(dataFolder: string): Promise<ClusterLocation | undefined> {
  const posted = await readSignpost(dataFolder);
  const found = await clusterIn(dataFolder, posted ?? dataFolder);
  if (found === undefined && posted !== undefined) {
    throw new ServiceError(
      'database.unavailable',
      `the embedded database of ${dataFolder} is gone: ${join(dataFolder, SIGNPOST)} says that it lives in ${posted}. Bring it back, or remove ${SIGNPOST} to begin with an empty one`,
    );
  }
  return found;
}

/** @returns the place of the cluster whose home is `home`, whether or not there is one yet */
export function clusterAt(dataFolder: string, home: string, account: Account | undefined): ClusterLocation {
  return { dataFolder, home, cluster: join(home, CLUSTER), account };
}

/**
 * Says in the data folder that its cluster lives in `home`.
 * @returns whether we said so: false when another process was quicker and named another place
 */
export async function postSign(dataFolder: string, home: string): Promise<boolean> {
  const text = [
    '# The embedded PostgreSQL of this data folder lives in the folder below, because the account that it runs as cannot',
    '# reach this one. Both belong together: back up, move and remove them together, and keep this file.',
    home,
    '',
  ].join('\n');
  // Two processes may have the same number, in containers that share the folder.
  const aside = join(dataFolder, `${SIGNPOST}.${randomUUID()}`);
  await writeFile(aside, text, { mode: 0o644, flush: true });
  try {
    // Unlike a rename, a link never replaces what is there.
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
    const text = await readFile(join(dataFolder, SIGNPOST), 'utf8');
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
    await stat(join(cluster, 'PG_VERSION'));
    return clusterAt(dataFolder, home, accountOf(await stat(cluster), cluster));
  } catch (error) {
    if (isCode(error, 'ENOENT')) {
      return undefined;
    }
    throw isCode(error, 'EACCES') ? notOurs(cluster) : error;
  }
}

function accountOf(owner: { uid: number; gid: number }, cluster: string): Account | undefined {
  const me = process.getuid?.();
  if (owner.uid !== 0 && me === 0) {
    return { uid: owner.uid, gid: owner.gid };
  }
  if (owner.uid !== 0 && me === owner.uid) {
    return undefined;
  }
  throw notOurs(cluster);
}

function notOurs(cluster: string): ServiceError {
  const rule =
    process.getuid?.() === 0 ? 'belongs to root, whom PostgreSQL refuses' : 'belongs to another user';
  return new ServiceError(
    'database.unavailable',
    `the embedded database ${cluster} ${rule}: run as its owner, or give it to the right one with chown -R, or set DATABASE_URL`,
  );
}

/** @returns the refusal of a process that may not make a cluster where there is none */
export function noClusterIn(dataFolder: string): ServiceError {
  return new ServiceError('installation.missing', `there is no embedded database in ${dataFolder}`);
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
