import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KeyFileAccess } from '../../doctor/key-check.ts';
import { readKeyFile } from './key-file.ts';
import { keyIdOf } from './secret-vault.ts';

const PERMISSIONS = 0o7777;

/** @returns the permissions of a key file and of its folder, and the ids of its keys */
export async function readKeyFileAccess(path: string): Promise<KeyFileAccess> {
  const [mode, folderMode, keyIds] = await Promise.all([
    modeOf(path),
    modeOf(dirname(path)),
    readKeyFile(path).then(
      (file) => file?.keys.map(keyIdOf),
      () => undefined,
    ),
  ]);
  return { path, mode, folderMode, keyIds };
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & PERMISSIONS;
  } catch {
    return undefined;
  }
}
