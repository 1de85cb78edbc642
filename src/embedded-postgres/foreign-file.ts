import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

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
