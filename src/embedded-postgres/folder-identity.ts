import { stat } from 'node:fs/promises';

/**
 * @returns device and inode of the folder, which stay when it is renamed and which a copy does not share; undefined where
 *   there is none, or none that this process may look at
 */
export async function folderIdentity(path: string): Promise<string | undefined> {
  const status = await stat(path, { bigint: true }).catch(() => undefined);
  return status?.isDirectory() === true ? `${status.dev}:${status.ino}` : undefined;
}

/** @returns whether both paths lead to one folder; false where one of them leads to none */
export async function isSameFolder(one: string, other: string): Promise<boolean> {
  const identity = await folderIdentity(one);
  return identity !== undefined && identity === (await folderIdentity(other));
}
