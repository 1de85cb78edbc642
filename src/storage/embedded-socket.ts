import { createHash } from 'node:crypto';
import { chown, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ServiceError } from '../kernel/errors.ts';
import type { ClusterLocation } from './embedded-location.ts';
import { SOCKET_PORT } from './embedded-postmaster.ts';

/** The longest path of a socket that every system takes (macOS: 103 bytes and a final zero). */
const PATH_LIMIT = 100;

/**
 * Makes the folder for the cluster's socket: in the cluster's home, or, where the path would be too long for a socket or
 * PostgreSQL could misread it as a list, among the temporary files.
 * @throws ServiceError 'database.unavailable' when somebody else could be behind that folder
 */
export async function prepareSocketFolder(location: ClusterLocation): Promise<string> {
  const near = join(location.home, 'postgres.socket');
  const fits = Buffer.byteLength(join(near, `.s.PGSQL.${SOCKET_PORT}`)) <= PATH_LIMIT && !/[",\n]/.test(near);
  const mark = createHash('sha256')
    .update(`${ownerOf(location)}:${location.cluster}`)
    .digest('hex');
  const folder = fits ? near : join(tmpdir(), `tankeeper-${mark.slice(0, 16)}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { account } = location;
  const status = await lstat(folder);
  if (account !== undefined && status.isDirectory() && status.uid === process.getuid?.()) {
    await chown(folder, account.uid, account.gid);
  }
  await assertPrivate(folder, location);
  return folder;
}

/**
 * Whoever can enter the folder can speak with the cluster as its superuser, and whoever owns it could stand in for the
 * cluster: it must belong to the cluster's owner alone. In /tmp anybody may have made it before us.
 * @throws ServiceError 'database.unavailable' when it does not
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
