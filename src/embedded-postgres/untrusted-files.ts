import { constants } from 'node:fs';
import { lstat, open, stat } from 'node:fs/promises';

const MAX_BYTES = 8192;
// A link may lead anywhere, and opening a pipe would wait.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Reads a small file in a folder that another account may write: only a regular file, and its last 8 KiB at most.
 * @param from the first byte to read
 * @throws any error of the system, and an Error for anything but a regular file
 */
export async function readForeignFile(path: string, from = 0): Promise<string> {
  const file = await open(path, FLAGS);
  try {
    const status = await file.stat();
    if (!status.isFile()) {
      throw new Error(`${path} is not a regular file`);
    }
    const position = Math.max(from, status.size - MAX_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, position);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** @returns true if it is a folder of this user, no link, that no other account may write */
export async function isOursAlone(path: string): Promise<boolean> {
  const status = await lstat(path).catch(() => undefined);
  return status?.isDirectory() === true && status.uid === process.getuid?.() && (status.mode & 0o022) === 0;
}

/**
 * @returns device and inode of the folder, which a rename keeps and a copy does not share; undefined if there is none,
 *   or this process may not read it
 */
export async function folderIdentity(path: string): Promise<string | undefined> {
  const status = await stat(path, { bigint: true }).catch(() => undefined);
  return status?.isDirectory() === true ? `${status.dev}:${status.ino}` : undefined;
}

/** @returns true if both paths lead to one folder; false if one of them leads to none */
export async function isSameFolder(one: string, other: string): Promise<boolean> {
  const identity = await folderIdentity(one);
  return identity !== undefined && identity === (await folderIdentity(other));
}
