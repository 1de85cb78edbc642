import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import type { ResolverFiles } from '../ports.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { within } from '../../kernel/time-limit.ts';
import { Semaphore } from '../../kernel/semaphore.ts';

/** What the file system says of a name that nothing has: a part of it is missing, or is a file. */
const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR'];

/**
 * The folders below which files may be named over HTTP (RESOLVER_FILE_DIRS). What a name says is not enough: a link in such a
 * folder may lead out of it, and may be put there later. So the name is looked at when it is set, and the file itself each
 * time that it is read.
 */
export class FileBounds implements ResolverFiles {
  readonly #folders: readonly string[];
  readonly #timeLimit: number;
  /** A folder that hangs takes one of the process's few threads for files. */
  readonly #checks = new Semaphore(1);

  /** @param given `folders` absolute; `timeLimit` in milliseconds, for looking at a name that is set */
  constructor({ folders, timeLimit }: { folders: readonly string[]; timeLimit: number }) {
    this.#folders = folders;
    this.#timeLimit = timeLimit;
  }

  /** Tells alike of a file that is outside and of one that is not there, outside. */
  async assertNamable(fileName: string): Promise<void> {
    if (this.#folders.length === 0) {
      throw refused('no file can be named over HTTP, as RESOLVER_FILE_DIRS names no folder');
    }
    const check = (): Promise<boolean> => this.#checks.run(() => this.holds(fileName));
    const isNamable =
      this.#isNamed(fileName) &&
      (await within(this.#timeLimit, check(), () => refused('its folder does not answer in time')));
    if (!isNamable) {
      throw refused('over HTTP, only a file below a folder that RESOLVER_FILE_DIRS names can be named');
    }
  }

  /** @returns whether the file of that name is below a folder, by its name and, links followed, where it is */
  async holds(fileName: string): Promise<boolean> {
    const place = this.#isNamed(fileName) ? await placeOf(fileName) : undefined;
    return place !== undefined && (await this.contains(place));
  }

  /** @param path without links. @returns whether it is below a folder */
  async contains(path: string): Promise<boolean> {
    const folders = await Promise.all(this.#folders.map((folder) => realpath(folder).catch(() => undefined)));
    return folders.some((folder) => folder !== undefined && isBelow(folder, path));
  }

  /** Nothing outside is even looked at. */
  #isNamed(fileName: string): boolean {
    const isPlain = isAbsolute(fileName) && !fileName.split(/[\\/]/).includes('..');
    return isPlain && this.#folders.some((folder) => isBelow(normalize(folder), normalize(fileName)));
  }
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way.split(sep)[0] !== '..' && !isAbsolute(way);
}

/** @returns where a file is, or would be if it were there; undefined where it cannot be known, as behind a link to nothing */
async function placeOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!ABSENT.includes((error as NodeJS.ErrnoException).code) || (await isLink(path))) {
      return undefined;
    }
  }
  const folder = dirname(path) === path ? undefined : await placeOf(dirname(path));
  return folder === undefined ? undefined : join(folder, basename(path));
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}

function refused(why: string): ServiceError {
  return new ServiceError(
    'resolver.invalid',
    `The setting fileName is refused: ${why}. The command \`tankeeper resolver\` takes any file`,
  );
}
