import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the files of vectors. */
export const VECTORS_FOLDER = join(import.meta.dirname, '../../vectors');

/** @returns the text of a file of vectors */
export function readVectorFile(file: string): string {
  return readFileSync(join(VECTORS_FOLDER, file), 'utf8');
}
