import { constants } from 'node:fs';
import { lstat, open, stat } from 'node:fs/promises';

const LIMIT = 8192;
// A link may lead anywhere, and a pipe would be waited for.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Reads a small file in a folder that another account may write: only if it is a regular file, and its last 8 KiB at most.
 * @param from the first byte that matters
 * @throws any error of the system, and an Error for what is no file
 */
export async function readForeignFile(path: string, from = 0): Promise<string> {
  const file = await open(path, FLAGS);
  try {
    const status = await file.stat();
    if (!status.isFile()) {
      throw new Error(`${path} is not a regular file`);
    }
    const position = Math.max(from, status.size - LIMIT);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LIMIT), 0, LIMIT, position);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** @returns whether it is a folder of this user's, no link, that no other account may write */
export async function isOursAlone(path: string): Promise<boolean> {
  const status = await lstat(path).catch(() => undefined);
  return status?.isDirectory() === true && status.uid === process.getuid?.() && (status.mode & 0o022) === 0;
}

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
