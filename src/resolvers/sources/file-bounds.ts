import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { ServiceError } from '../../kernel/errors.ts';
import { Semaphore, withTimeLimit } from '../../kernel/bounded-work.ts';

/** Errors of the file system for an absent file: a part of its path is missing, or is a file. */
const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR'];

/**
 * The folders below which files may be named over HTTP (RESOLVER_FILE_DIRS). A name is no proof: a link in such a
 * folder may lead out of it, and may be created later. Therefore the name is checked when it is set, and the file
 * itself at each read.
 */
export class FileBounds {
  readonly #folders: readonly string[];
  readonly #timeoutMs: number;
  /** Serializes the checks: a folder that hangs blocks one of the process's few threads for files. */
  readonly #checks = new Semaphore(1);

  /** @param options `folders` absolute; `timeoutMs` in milliseconds, for the check of a name that is set */
  constructor({ folders, timeoutMs }: { folders: readonly string[]; timeoutMs: number }) {
    this.#folders = folders;
    this.#timeoutMs = timeoutMs;
  }

  /** Refuses a file outside and an absent one outside alike. @throws ServiceError 'resolver.invalid' */
  async assertNamable(fileName: string): Promise<void> {
    if (this.#folders.length === 0) {
      throw refused('no file can be named over HTTP, as RESOLVER_FILE_DIRS names no folder');
    }
    const check = (): Promise<boolean> => this.#checks.run(() => this.holds(fileName));
    const isNamable =
      this.#isNamed(fileName) &&
      (await withTimeLimit(this.#timeoutMs, check(), () => refused('its folder does not answer in time')));
    if (!isNamable) {
      throw refused('over HTTP, only a file below a folder that RESOLVER_FILE_DIRS names can be named');
    }
  }

  /** @returns true if the file of that name is below a folder, by its name and by its real path */
  async holds(fileName: string): Promise<boolean> {
    const place = this.#isNamed(fileName) ? await placeOf(fileName) : undefined;
    return place !== undefined && (await this.contains(place));
  }

  /**
   * @param path without links
   * @returns true if it is below a folder
   */
  async contains(path: string): Promise<boolean> {
    const folders = await Promise.all(this.#folders.map((folder) => realpath(folder).catch(() => undefined)));
    return folders.some((folder) => folder !== undefined && isBelow(folder, path));
  }

  /** Ends the check for a name outside before any access to the file. */
  #isNamed(fileName: string): boolean {
    const isPlain = isAbsolute(fileName) && !fileName.split(/[\\/]/).includes('..');
    return isPlain && this.#folders.some((folder) => isBelow(normalize(folder), normalize(fileName)));
  }
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way.split(sep)[0] !== '..' && !isAbsolute(way);
}

/** @returns the real path that a file has, or would have; undefined if it is unknown, as behind a dangling link */
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
