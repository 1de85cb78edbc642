import { chown, mkdir, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { findPrograms, run, type Surroundings, unavailable } from './programs.ts';

/** PostgreSQL's data directory in a data folder, with socket and log; under root, with its owner. */
export type Cluster = Surroundings & { readonly path: string };

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** 'server' for the one server of a data folder, 'command' for everything else. */
  readonly role: 'server' | 'command';
  /** Creates a missing one; true by default. */
  readonly create?: boolean;
  /** Its files, and commits, survive a power cut; false only for tests. */
  readonly durable?: boolean;
  /** The place of the programs' copy, if PostgreSQL's account does not reach the package. */
  readonly sharedFolder?: string;
  readonly giveUp?: AbortSignal | undefined;
}

/** The one role, a superuser of this private cluster, its database, and under root the account. */
export const ROLE = 'tankeeper';
/** The order of text is the same on every machine. */
const INITDB =
  `--username ${ROLE} --no-instructions --auth-local trust --auth-host reject ` +
  '--encoding UTF8 --locale C --locale-provider builtin --builtin-locale C.UTF-8';
const ACCOUNT = `id "$0" >/dev/null 2>&1 || useradd --system --user-group --no-create-home --home-dir /nonexistent \
  --shell /usr/sbin/nologin "$0" || id "$0" >/dev/null && id -u "$0" && id -g "$0"`;
/** The longest path of a socket that every system accepts (macOS). */
const MAX_SOCKET_PATH = 103;

/** The cluster's path for a process that works in it: its account may not reach the real one, as in root's home. */
export const ownPath = (path: string): string => (process.platform === 'linux' ? '/proc/self/cwd' : path);

/**
 * Finds the cluster of a data folder, or creates it.
 * @throws ServiceError 'installation.missing' if there is none and none may be created, 'database.unavailable'
 */
export async function openCluster(request: EmbeddedPostgresOptions): Promise<Cluster> {
  const { create = true } = request;
  const dataFolder = resolve(request.dataDir);
  const path = join(dataFolder, 'postgres');
  if (Buffer.byteLength(join(path, '.s.PGSQL.5432')) > MAX_SOCKET_PATH) {
    throw unavailable(`a socket cannot be in ${path}: set DATA_DIR to a shorter path`);
  }
  if (create) {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  }
  const cluster = await findCluster(path);
  if (cluster === undefined && !create) {
    throw new ServiceError('installation.missing', `there is no embedded database in ${dataFolder}`);
  }
  await assertPrivate(dataFolder, cluster === undefined);
  return cluster ?? createCluster(path, request);
}

/** @throws ServiceError 'database.unavailable' if others could put another database, or key, in the place of ours */
async function assertPrivate(dataFolder: string, isNew: boolean): Promise<void> {
  const { mode, uid } = await stat(dataFolder);
  if ((mode & 0o002) !== 0 || (isNew && process.getuid?.() === 0 && uid !== 0)) {
    throw unavailable(
      `others may write in the data folder ${dataFolder}: chmod o-w it, run tankeeper as its owner, or set DATA_DIR to a folder in it, which is then made`,
    );
  }
}

async function findCluster(path: string): Promise<Cluster | undefined> {
  const isRoot = process.getuid?.() === 0;
  try {
    const { uid, gid } = await stat(path);
    if (isRoot ? uid !== 0 : uid === process.getuid?.()) {
      return { path, account: isRoot ? { uid, gid } : undefined };
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
  }
  const fault = isRoot
    ? `belongs to root, whom PostgreSQL refuses: give it to the account ${ROLE} with chown -R`
    : 'belongs to another user: run as its owner, or give it to the right one with chown -R';
  throw unavailable(`the embedded database ${path} ${fault}, or set DATABASE_URL`);
}

/**
 * Creates a cluster. It appears complete or not at all: initdb works beside it, and one rename publishes it. Of several
 * processes that do this at once one wins.
 */
async function createCluster(
  path: string,
  { durable = true, sharedFolder, giveUp }: EmbeddedPostgresOptions,
): Promise<Cluster> {
  const account = process.getuid?.() === 0 ? await accountOfRoot() : undefined;
  const bin = await findPrograms({ account }, sharedFolder);
  const aside = await mkdtemp(`${path}.new-`);
  try {
    if (account !== undefined) {
      await chown(aside, account.uid, account.gid);
    }
    const parameters = ['--pgdata', ownPath(aside), ...INITDB.split(' '), ...(durable ? [] : ['--no-sync'])];
    const failure = 'the embedded database cannot be created';
    await run([join(bin, 'initdb'), ...parameters], { account, path: aside }, failure);
    await rename(aside, path);
    const folder = await open(join(path, '..'));
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    giveUp?.throwIfAborted();
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      throw error;
    }
  }
  return { path, account };
}

/**
 * Finds a system account, or creates it: PostgreSQL refuses to run as root. One such as `postgres` or `nobody` is not
 * used, as its other processes could read the database.
 */
export async function accountOfRoot(name = ROLE): Promise<{ uid: number; gid: number }> {
  const failure = `PostgreSQL must not run as root: create a system account ${name}, run tankeeper as an ordinary user, or set DATABASE_URL, as that account cannot be created here`;
  const output = await run(['/bin/sh', '-c', ACCOUNT, name], {}, failure);
  const [uid = 0, gid = 0] = output.split('\n').map(Number);
  return { uid, gid };
}
