import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const REPOSITORY = resolve(import.meta.dirname, '../..');

/** @returns the text of a file of the checkout */
export function readRepositoryFile(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8');
}

/** @returns true if the checkout has such a file or folder */
export function isInRepository(path: string): boolean {
  return existsSync(join(REPOSITORY, path));
}

/** @returns the paths of all files below a folder of the checkout */
export function listRepositoryFiles(folder: string): readonly string[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(REPOSITORY, join(entry.parentPath, entry.name)));
}
