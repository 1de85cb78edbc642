import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Folders of Debian's system programs, which an ordinary user's PATH may lack. */
const PLACES = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** @returns the path of a program; undefined if it is not installed. Outside of Jest as well. */
export function findSystemProgram(name: string): string | undefined {
  return PLACES.map((place) => join(place, name)).find((path) => existsSync(path));
}
