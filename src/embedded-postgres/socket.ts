import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';

import { ServiceError } from '../kernel/errors.ts';
import type { SystemAccount } from './account.ts';
import type { ClusterLocation } from './location.ts';
import type { PostmasterFile } from './postmaster.ts';
import { SOCKET_PORT } from './postmaster.ts';
import { runScript } from './program.ts';
import { folderIdentity } from './untrusted-files.ts';

/** The longest path of a socket that every system accepts (macOS: 103 bytes and a final zero). */
const MAX_PATH_LENGTH = 100;

/**
 * Determines the folder of the cluster's socket: one in the cluster's home, or, if the path is too long for a socket or
 * PostgreSQL could misread it as a list, one in the temporary folder with a name that no copy of the cluster shares.
 * postmaster.pid is used for the latter only: the starter may have had another temporary folder.
 */
export async function socketFolderOf(
  location: ClusterLocation,
  serving: PostmasterFile | undefined,
): Promise<string> {
  const near = join(location.home, 'postgres.socket');
  if (Buffer.byteLength(join(near, `.s.PGSQL.${SOCKET_PORT}`)) <= MAX_PATH_LENGTH && !/[",\n]/.test(near)) {
    return near;
  }
  const nameHash = createHash('sha256')
    .update(`${ownerOf(location)}:${await folderIdentity(location.cluster)}`)
    .digest('hex');
  const name = `tankeeper-${nameHash.slice(0, 16)}`;
  const recorded = serving?.socketFolder ?? '';
  return isAbsolute(recorded) && basename(recorded) === name ? recorded : join(tmpdir(), name);
}

/**
 * Makes the folder for the cluster's socket.
 * @throws ServiceError 'database.unavailable' if another account could own that folder
 */
export async function prepareSocketFolder(location: ClusterLocation): Promise<string> {
  const folder = await socketFolderOf(location, undefined);
  const { account, accountOwnsFolder } = location;
  if (account !== undefined && accountOwnsFolder) {
    await runScript('umask 077 && mkdir -p -- "$1"', [folder], account);
  } else {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await handOver(folder, account);
  }
  await assertPrivate(folder, location);
  return folder;
}

/** Gives root's own new folder to the account; leaves anything else as it is. */
async function handOver(folder: string, account: SystemAccount | undefined): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = account === undefined ? undefined : await open(folder, flags).catch(() => undefined);
  try {
    if (account !== undefined && (await handle?.stat())?.uid === process.getuid?.()) {
      await handle?.chown(account.uid, account.gid);
    }
  } finally {
    await handle?.close();
  }
}

/**
 * Checks the folder's owner, who could replace the cluster's server: it must be the cluster's owner, and no other
 * account may enter. In /tmp any account may have made the folder before.
 * @throws ServiceError 'database.unavailable' if it does not belong to the cluster's owner alone
 */
export async function assertPrivate(folder: string, location: ClusterLocation): Promise<void> {
  const status = await lstat(folder);
  if (!status.isDirectory() || status.uid !== ownerOf(location) || (status.mode & 0o077) !== 0) {
    throw new ServiceError(
      'database.unavailable',
      `the folder ${folder} for the embedded database's socket must belong to the database's user alone (mode 0700); remove it`,
    );
  }
}

function ownerOf(location: ClusterLocation): number {
  return location.account?.uid ?? process.getuid?.() ?? -1;
}
