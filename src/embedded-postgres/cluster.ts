import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync, type Stats } from 'node:fs';
import {
  chown,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { ServiceError } from '../kernel/errors.ts';
import { type PostgresPrograms, runProgram, runScript, type SystemAccount, unavailable } from './programs.ts';

/**
 * The cluster of a data folder: PostgreSQL's own data directory, with its socket and its log. All that PostgreSQL's
 * account may change is in it, and root changes nothing there but as that account.
 */
export interface Cluster {
  /** The data folder, all links resolved. */
  readonly dataFolder: string;
  /** The path of the cluster, also that of its socket. */
  readonly path: string;
  /** The account that runs PostgreSQL: the folder's owner. Undefined: that of this process. */
  readonly account: SystemAccount | undefined;
}

/** Names the socket: `<folder>/.s.PGSQL.5432`. No TCP port is opened. */
export const SOCKET_PORT = 5432;
export const SOCKET = `.s.PGSQL.${SOCKET_PORT}`;
/** The longest path of a socket that every system accepts (macOS). */
const MAX_SOCKET_PATH = 103;
const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_GROUP = 0o020;

/**
 * Finds the data folder.
 * @param create makes a missing one
 * @returns its path, all links resolved
 * @throws ServiceError 'installation.missing'; 'database.unavailable' if any account may write there: its cluster or
 *   key would be taken for ours
 */
export async function openDataFolder(dataDir: string, create: boolean): Promise<string> {
  const requested = resolve(dataDir);
  if (create) {
    await mkdir(requested, { recursive: true, mode: 0o700 });
  }
  const folder = await realpath(requested).catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? noClusterIn(requested) : error;
  });
  const { mode, gid } = await stat(folder);
  const byGroup = process.getuid?.() === 0 && gid !== 0 && (mode & WRITABLE_BY_GROUP) !== 0;
  if (byGroup || (mode & WRITABLE_BY_ALL) !== 0) {
    const [who, change] = byGroup ? ['a group', 'g-w'] : ['anybody', 'o-w'];
    throw unavailable(
      `${who} may write in the data folder ${folder}: chmod ${change} it, or set DATA_DIR to a folder in it, which is then made`,
    );
  }
  return folder;
}

/**
 * Opens the cluster of a data folder. Its owner runs it.
 * @returns undefined if there is none yet
 * @throws ServiceError 'database.unavailable' if it belongs to another account, or others may enter it
 */
export async function findCluster(dataFolder: string): Promise<Cluster | undefined> {
  const path = clusterPath(dataFolder);
  try {
    const status = await lstat(path);
    if (status.isSymbolicLink()) {
      throw unavailable(
        `${path} is a link: a copy of this data folder would lead to the same database. Set DATA_DIR to the folder that has the database itself`,
      );
    }
    const account = ownerOf(status, path);
    if (account !== undefined) {
      await assertOwner(dataFolder, [0, account.uid]);
    }
    await stat(join(path, 'PG_VERSION'));
    return { dataFolder, path, account };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      return undefined;
    }
    throw codeOf(error) === 'EACCES' ? notOurs(path) : error;
  }
}

/** @throws ServiceError 'database.unavailable' where the path of its socket would be too long */
function clusterPath(dataFolder: string): string {
  const path = join(dataFolder, 'postgres');
  if (Buffer.byteLength(join(path, SOCKET)) > MAX_SOCKET_PATH) {
    throw unavailable(`a socket cannot be in ${path}: set DATA_DIR to a shorter path`);
  }
  return path;
}

/**
 * @returns the path by which a process that works in the cluster `path` calls it. Its account may not reach the real path,
 *   such as one in root's home, and that may be misread as a list of folders
 */
export function ownPath(path: string): string {
  if (existsSync('/proc/self/cwd')) {
    return '/proc/self/cwd';
  }
  if (/[",\n]/.test(path)) {
    throw unavailable(
      `a socket cannot be in ${path}: set DATA_DIR to a path without commas and quotation marks`,
    );
  }
  return path;
}

function ownerOf({ uid, gid, mode }: Stats, path: string): SystemAccount | undefined {
  const me = process.getuid?.();
  if (uid === 0 || (me !== 0 && me !== uid)) {
    throw notOurs(path);
  }
  if ((mode & 0o077) !== 0) {
    throw unavailable(`the embedded database ${path} must belong to the database's user alone: chmod 700 it`);
  }
  return me === 0 ? { uid, gid } : undefined;
}

/**
 * Root works in a folder of its own or of the cluster's account, and creates a cluster only in its own.
 * @throws ServiceError 'database.unavailable' if another user could replace what is in the folder
 */
async function assertOwner(dataFolder: string, accepted: readonly number[]): Promise<void> {
  const { uid } = await stat(dataFolder);
  if (!accepted.includes(uid)) {
    throw unavailable(
      `the data folder ${dataFolder} belongs to another user (number ${uid}), who could put anything there: run tankeeper as that user, or chown the folder to root`,
    );
  }
}

function notOurs(cluster: string): ServiceError {
  const advice =
    process.getuid?.() === 0
      ? 'belongs to root, whom PostgreSQL refuses: give it to the account tankeeper with chown -R'
      : 'belongs to another user: run as its owner, or give it to the right one with chown -R';
  return unavailable(`the embedded database ${cluster} ${advice}, or set DATABASE_URL`);
}

export function noClusterIn(dataFolder: string): ServiceError {
  return new ServiceError('installation.missing', `there is no embedded database in ${dataFolder}`);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

const NAME = 'tankeeper';
const PROGRAMS = '/usr/sbin:/usr/bin:/sbin:/bin';
const USERADD = `--system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin ${NAME}`;
const PAUSE_MS = 2_000;

const run = promisify(execFile);

/**
 * Finds the account of a new cluster. PostgreSQL refuses to run as root, so root gives it to a system account of its
 * own, which is created if it is missing. An account such as `postgres` or `nobody` is not used: its other processes
 * could read the database.
 * @param programs the folders of the system's programs, as in PATH
 * @returns undefined for an ordinary user, as whom PostgreSQL can run
 * @throws ServiceError 'database.unavailable' if the account is missing and cannot be created
 */
export async function accountForNewCluster(programs = PROGRAMS): Promise<SystemAccount | undefined> {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  const env = { PATH: programs, LC_ALL: 'C' };
  const find = async (): Promise<SystemAccount> => {
    const ids = ['-u', '-g'].map((option) => run('id', [option, NAME], { env }));
    const [uid, gid] = (await Promise.all(ids)).map(({ stdout }) => Number(stdout));
    return { uid: uid ?? 0, gid: gid ?? 0 };
  };
  let complaint = 'it does not appear';
  const create = async (): Promise<SystemAccount> => {
    await run('useradd', USERADD.split(' '), { env }).catch(async (error: unknown) => {
      complaint = (error as Error).message.trim();
      // Another process may be creating it, and has its files locked.
      await sleep(PAUSE_MS);
    });
    return find();
  };
  return find()
    .catch(create)
    .catch(() => {
      throw unavailable(
        `PostgreSQL must not run as root, and its account ${NAME} is missing and cannot be created (${complaint}): create a system account of that name, run tankeeper as an ordinary user, or set DATABASE_URL`,
      );
    });
}

interface CreationRequest {
  readonly dataFolder: string;
  /** The files must survive a power cut. */
  readonly durable: boolean;
  readonly findPrograms: (account: SystemAccount | undefined) => Promise<PostgresPrograms>;
}

/** The name of the one role, a superuser of this private cluster. */
export const CLUSTER_ROLE = 'tankeeper';
const UNFINISHED = 'postgres.new-';
const UNFINISHED_FOR_MS = 3_600_000;
/** The access rules are replaced at each start; the order of text is the same on every machine. */
const INITDB =
  `--username ${CLUSTER_ROLE} --no-instructions --auth-local trust --auth-host reject ` +
  '--encoding UTF8 --locale C --locale-provider builtin --builtin-locale C.UTF-8';

/**
 * Creates the cluster of a data folder. It appears complete or not at all: initdb works beside it, and one rename
 * publishes it. Of several processes that do this at once one wins, and the others remove their own.
 * @throws ServiceError 'database.unavailable' if initdb fails, or root would work in another user's folder
 */
export async function createCluster({
  dataFolder,
  durable,
  findPrograms,
}: CreationRequest): Promise<Cluster> {
  const account = await accountForNewCluster();
  if (account !== undefined) {
    await assertOwner(dataFolder, [0]);
  }
  const { initdb } = await findPrograms(account);
  await removeUnfinished(dataFolder);
  const aside = await mkdtemp(join(dataFolder, UNFINISHED));
  try {
    if (account !== undefined) {
      await chown(aside, account.uid, account.gid);
    }
    const parameters = [...INITDB.split(' '), ...(durable ? [] : ['--no-sync'])];
    const context = { account, folder: aside };
    const { status, output } = await runProgram(initdb, ['--pgdata', ownPath(aside), ...parameters], context);
    if (status !== 0) {
      throw unavailable(`the embedded database could not be created: ${output.split('\n').at(-1) ?? ''}`, {
        detail: output,
      });
    }
    await rename(aside, clusterPath(dataFolder));
    await syncFolder(dataFolder);
  } catch (error) {
    await removeFolder(aside);
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      throw error;
    }
  }
  const created = await findCluster(dataFolder);
  if (created === undefined) {
    throw unavailable(`the new embedded database in ${dataFolder} has vanished`);
  }
  return created;
}

/** Removes the files of a killed process. */
async function removeUnfinished(dataFolder: string): Promise<void> {
  for (const name of await readdir(dataFolder)) {
    if (name.startsWith(UNFINISHED)) {
      const path = join(dataFolder, name);
      const status = await lstat(path).catch(() => undefined);
      if (status !== undefined && Date.now() - status.mtimeMs > UNFINISHED_FOR_MS) {
        await removeFolder(path);
      }
    }
  }
}

/** Removes the cluster of a data folder that is itself about to be removed. It must be stopped. */
export async function removeEmbeddedPostgres(dataDir: string): Promise<void> {
  await removeFolder(clusterPath(dataDir));
}

/**
 * Removes a folder in a data folder of this user. Root removes files that the account may change as that account, which
 * could otherwise place a link in root's way.
 */
async function removeFolder(path: string): Promise<void> {
  const status = await lstat(path).catch(() => undefined);
  if (process.getuid?.() === 0 && status?.isDirectory() === true && status.uid !== 0) {
    const account = { uid: status.uid, gid: status.gid };
    await runScript('rm -rf -- ./* ./.[!.]*', [], { account, folder: path });
    await rmdir(path).catch(() => undefined);
  } else {
    await rm(path, { recursive: true, force: true });
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
