import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';

import { ServiceError } from '../kernel/errors.ts';
import type { Account } from './account.ts';
import type { ClusterLocation } from './location.ts';
import type { PostmasterFile } from './postmaster.ts';
import { SOCKET_PORT } from './postmaster.ts';
import { runScript } from './program.ts';
import { folderIdentity } from './untrusted-files.ts';

/** The longest path of a socket that every system takes (macOS: 103 bytes and a final zero). */
const PATH_LIMIT = 100;

/**
 * Finds out which folder is for the cluster's socket: one in the cluster's home, or, where the path would be too long for a
 * socket or PostgreSQL could misread it as a list, one among the temporary files with a name that no copy of the cluster
 * shares. What postmaster.pid says matters for the latter only: its starter may have had other temporary files.
 */
export async function socketFolderOf(
  location: ClusterLocation,
  serving: PostmasterFile | undefined,
): Promise<string> {
  const near = join(location.home, 'postgres.socket');
  if (Buffer.byteLength(join(near, `.s.PGSQL.${SOCKET_PORT}`)) <= PATH_LIMIT && !/[",\n]/.test(near)) {
    return near;
  }
  const mark = createHash('sha256')
    .update(`${ownerOf(location)}:${await folderIdentity(location.cluster)}`)
    .digest('hex');
  const name = `tankeeper-${mark.slice(0, 16)}`;
  const recorded = serving?.socketFolder ?? '';
  return isAbsolute(recorded) && basename(recorded) === name ? recorded : join(tmpdir(), name);
}

/**
 * Makes the folder for the cluster's socket.
 * @throws ServiceError 'database.unavailable' when another account could own that folder
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

/** Gives root's own new folder to the account; what is no such folder stays as it is. */
async function handOver(folder: string, account: Account | undefined): Promise<void> {
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
 * The owner of the folder could stand in for the cluster, so that must be the cluster's own, and no other account may enter. In
 * /tmp any account may have made the folder before.
 * @throws ServiceError 'database.unavailable' when it does not belong to the cluster's owner alone
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
