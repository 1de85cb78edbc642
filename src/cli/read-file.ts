import { readFile } from 'node:fs/promises';
import { CliFailure } from './cli-failure.ts';

/** @throws CliFailure with the reason if the file cannot be read */
export async function readFileBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new CliFailure(`cannot read ${file}: ${fileErrorText(error)}`);
  }
}

/** @returns the fault of a file, in words for the usual reasons */
export function fileErrorText(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EACCES: 'permission denied',
    EEXIST: 'there is such a file already',
    ENOSPC: 'the disk is full',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a part of its path is no folder',
  };
  return words[code] ?? code;
}
