import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import type { FileBounds } from '../file-bounds.ts';
import { type PasswdContent, PasswdFault, readPasswd } from './passwd-content.ts';

/** The content, and the state of the file that it was read from. */
export interface PasswdReading {
  readonly stamp: string;
  readonly content: PasswdContent;
}

const MAX_BYTES = 64 * 1024 * 1024;
const ATTEMPTS = 3;

/**
 * Reads the file, unless it has not changed since the last read. Reads again if it was changed or replaced meanwhile:
 * the result must be neither half of it nor an older version.
 * @param bounds the allowed folders; undefined: any
 * @throws PasswdFault, or the error of the file system
 */
export async function readPasswdFile(
  fileName: string,
  last: PasswdReading | undefined,
  bounds?: FileBounds,
): Promise<PasswdReading> {
  assertInside((await bounds?.holds(fileName)) ?? true);
  let stamp = await stampNow(fileName);
  if (last?.stamp === stamp) {
    return last;
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const read = await readOnce(fileName, bounds);
    const before = stamp;
    stamp = await stampNow(fileName);
    if (stamp === before) {
      return { stamp, content: read() };
    }
  }
  throw new PasswdFault('it changes while it is being read');
}

/** @returns a function that returns the content or throws its fault; it is valid only if the file has not changed */
async function readOnce(fileName: string, bounds: FileBounds | undefined): Promise<() => PasswdContent> {
  // Without O_NONBLOCK, opening a named pipe would never end.
  const handle = await open(fileName, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    // Links may have changed a moment ago: the real path of the opened file decides.
    assertInside((await bounds?.contains(await placeOfOpen(handle, fileName))) ?? true);
    assertUsable(await handle.stat({ bigint: true }));
    const chunks = handle.createReadStream({ autoClose: false, start: 0 }) as AsyncIterable<Buffer>;
    const content = await readPasswd(chunks, MAX_BYTES);
    return () => content;
  } catch (error) {
    return () => {
      throw error;
    };
  } finally {
    await handle.close();
  }
}

/**
 * @returns the real path of an open file, whatever its name leads to by now; without /proc, the path that its name
 *   leads to
 */
async function placeOfOpen({ fd }: FileHandle, fileName: string): Promise<string> {
  return readlink(`/proc/self/fd/${fd}`).catch(() => realpath(fileName));
}

function assertInside(isInside: boolean): void {
  if (!isInside) {
    throw new PasswdFault('it was named over HTTP and is not below a folder that RESOLVER_FILE_DIRS names');
  }
}

async function stampNow(fileName: string): Promise<string> {
  const stats = await stat(fileName, { bigint: true });
  assertUsable(stats);
  return stampOf(stats);
}

function assertUsable(stats: BigIntStats): void {
  if (!stats.isFile()) {
    throw new PasswdFault('it is not a regular file');
  }
  if (stats.size > MAX_BYTES) {
    throw new PasswdFault(`it has more than ${MAX_BYTES} bytes`);
  }
}

/** Inode, size and times: at least one changes with every change of the file. */
function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}
