import { constants } from 'node:fs';
import { type FileHandle, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Random } from '../../kernel/clock.ts';
import { keyLines, readKeyFile, reasonOf, syncFolder, unusable } from './key-file.ts';
import { KEY_LENGTH, keyIdOf } from './secret-vault.ts';

/**
 * Adds a new key at the end of a key file. The present content stays, byte for byte, and so do owner and mode. A
 * concurrent reader, or one after a power failure, reads either the old or the new file.
 * @throws ServiceError 'key.unavailable' that names the file
 */
export async function appendKey(file: string, random: Random): Promise<Buffer> {
  const key = random.bytes(KEY_LENGTH);
  await replace(file, (text) => `${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${keyLines(key)}`);
  const written = await readKeyFile(file);
  if (written?.keys.some((one) => one.equals(key)) !== true) {
    throw unusable(file, 'the new key is not in it after it was written');
  }
  return key;
}

/**
 * Removes a key from a key file, with the comment that names it.
 * @returns false when it did not exist
 * @throws ServiceError 'key.unavailable' that names the file; also when it holds no other key
 */
export async function removeKey(file: string, keyId: string): Promise<boolean> {
  const found = await readKeyFile(file);
  if (found?.keys.some((key) => keyIdOf(key) === keyId) !== true) {
    return false;
  }
  if (found.keys.length === 1) {
    throw unusable(file, `it holds no other key than ${keyId}`);
  }
  await replace(file, (text) =>
    text
      .split('\n')
      .filter((line) => !holdsKey(line, keyId) && line.trim() !== `# Key ${keyId}`)
      .join('\n'),
  );
  return true;
}

function holdsKey(line: string, keyId: string): boolean {
  const content = line.replace(/#.*$/, '').trim();
  return content !== '' && keyIdOf(Buffer.from(content, 'base64')) === keyId;
}

/** Replaces the file by a new one under its name, so that there is never a half-written one. */
async function replace(file: string, change: (text: string) => string): Promise<void> {
  try {
    // The target itself, if the path is a link.
    const target = await realpath(file);
    const beside = `${target}.new`;
    const { uid, gid, mode } = await stat(target);
    const text = change(await readFile(target, 'utf8'));
    // A file that a crash has left is unused.
    await unlink(beside).catch(() => undefined);
    const handle = await open(beside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      await fill(handle, text, { uid, gid, mode });
    } catch (error) {
      await unlink(beside);
      throw error;
    } finally {
      await handle.close();
    }
    await rename(beside, target);
    await syncFolder(dirname(target));
  } catch (cause) {
    throw unusable(file, `it cannot be written (${reasonOf(cause)})`, cause);
  }
}

/** Writes the file with the former owner and mode: the server must still be able to read it, even if root wrote it. */
async function fill(
  handle: FileHandle,
  text: string,
  { uid, gid, mode }: { readonly uid: number; readonly gid: number; readonly mode: number },
): Promise<void> {
  const made = await handle.stat();
  if (made.uid !== uid || made.gid !== gid) {
    await handle.chown(uid, gid);
  }
  await handle.chmod(mode & 0o777);
  await handle.writeFile(text);
  await handle.sync();
}
