import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import type { FileBounds } from '../file-bounds.ts';
import { type PasswdContent, PasswdFault, readPasswd } from './passwd-content.ts';

/** What was read, and of which state of the file. */
export interface PasswdReading {
  readonly stamp: string;
  readonly content: PasswdContent;
}

const LARGEST = 64 * 1024 * 1024;
const ATTEMPTS = 3;

/**
 * Reads the file, unless it is as it was when it was read last. Reads again when it was changed or replaced meanwhile:
 * neither half of it nor an older one must pass for it.
 * @param bounds where the file must be; undefined: anywhere
 * @throws PasswdFault, or what the file system says
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

/** @returns what tells what was read, or throws what is wrong with it; that counts only if the file has not changed */
async function readOnce(fileName: string, bounds: FileBounds | undefined): Promise<() => PasswdContent> {
  // Without O_NONBLOCK, a named pipe would never be opened.
  const handle = await open(fileName, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    // Links may be others than a moment ago: it matters where the file is that was opened.
    assertInside((await bounds?.contains(await placeOfOpen(handle, fileName))) ?? true);
    assertUsable(await handle.stat({ bigint: true }));
    const chunks = handle.createReadStream({ autoClose: false, start: 0 }) as AsyncIterable<Buffer>;
    const content = await readPasswd(chunks, LARGEST);
    return () => content;
  } catch (error) {
    return () => {
      throw error;
    };
  } finally {
    await handle.close();
  }
}

/** @returns where an open file is, whatever its name leads to by now; where there is no /proc, where its name leads to */
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
  if (stats.size > LARGEST) {
    throw new PasswdFault(`it has more than ${LARGEST} bytes`);
  }
}

/** Inode, size and times: one of them moves with every change. */
function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}
