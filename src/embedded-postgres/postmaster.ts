import { spawn } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { admittedNames, isolatedSurroundings, type PostgresPrograms, runScript, SHELL } from './programs.ts';
import { type Cluster, CLUSTER_ROLE, ownPath, readForeignFile, SOCKET, SOCKET_PORT } from './cluster.ts';

/** The content of postmaster.pid. It is not trusted: the cluster's account may write it, and copies include it. */
export interface PostmasterFile {
  readonly pid: number;
  /** False while it starts. */
  readonly listens: boolean;
}

/** A postmaster that this process started. */
export interface StartedPostmaster {
  readonly pid: number | undefined;
  hasExited(): boolean;
  /** Reads its log lines since its start. */
  complaint(): Promise<string>;
  /** Stops it, also while it starts; waits half a minute at most. */
  stop(): Promise<void>;
}

/** The file in the cluster that has PostgreSQL's messages. */
export const LOG_FILE = 'postgres.log';
const POLL_MS = 20;
const STOP_TIMEOUT_MS = 30_000;
const MAP = 'tankeeper';
const NOTE = '# Written by tankeeper at each start of this PostgreSQL.\n';
/**
 * Runs as the cluster's account, in the cluster, and becomes the postmaster. $1 and $2: the contents of the two files.
 * Removes the lock of an earlier postmaster's socket: postmaster.pid alone decides which one serves.
 */
const START = `
umask 077
exec >>${LOG_FILE} 2>&1
printf %s "$1" >pg_hba.conf.$$ && mv -f pg_hba.conf.$$ pg_hba.conf || exit
printf %s "$2" >pg_ident.conf.$$ && mv -f pg_ident.conf.$$ pg_ident.conf || exit
rm -f ${SOCKET}.lock
shift 2
exec "$@"
`;
/** Compares as the account: in a container root may not look into another account's process. */
const WHOSE = `
[ -e /proc/self/cwd ] || exec kill -0 "$1"
[ "/proc/$1/cwd" -ef . ] && exit 0
read -r pid <"/proc/$1/cwd/postmaster.pid" && [ "$pid" = "$1" ] && exit 3
exit 1
`;

/** @returns the content of postmaster.pid, undefined if there is none or it is still empty */
export async function readPostmasterFile(folder: string): Promise<PostmasterFile | undefined> {
  const lines = (await readForeignFile(join(folder, 'postmaster.pid'))).split('\n');
  const pid = /^\d{1,10}$/.test(lines[0] ?? '') ? Number(lines[0]) : 0;
  return pid > 0 ? { pid, listens: (lines[4] ?? '') !== '' } : undefined;
}

/**
 * Tells what the process is that postmaster.pid names. After a crash its number may be that of any other process.
 * @returns 'ours' if it works in this cluster, 'original' if it is the postmaster of another one, of which this one is
 *   a copy. Without /proc (macOS), every running process of the account counts as ours
 */
export async function whoseProcess(
  pid: number,
  cluster: Cluster,
): Promise<'ours' | 'original' | 'unrelated'> {
  const { status } = await runScript(WHOSE, [String(pid)], cluster);
  return status === 0 ? 'ours' : status === 3 ? 'original' : 'unrelated';
}

/**
 * Starts a postmaster in a session of its own, so that neither Ctrl-C nor the end of this process affects it. pg_ctl is
 * not used: it passes the paths to a shell as part of its command. Its output goes to a file: a pipe would break with
 * this process.
 * @param durable commits must survive a power cut
 * @param stranger a process in postmaster.pid that is no postmaster of this cluster, although PostgreSQL takes it for one
 */
export async function startPostmaster(
  { postgres }: PostgresPrograms,
  cluster: Cluster,
  { durable, stranger }: { readonly durable: boolean; readonly stranger: number | undefined },
): Promise<StartedPostmaster> {
  const logPath = join(cluster.folder, LOG_FILE);
  const size = await lstat(logPath).then(
    (status) => status.size,
    () => 0,
  );
  const rules = await accessRules(cluster);
  const path = ownPath(cluster.path);
  const command = [postgres, '-D', path, ...settings(path, durable)];
  const surroundings = isolatedSurroundings(cluster);
  const child = spawn(SHELL, ['-c', START, 'sh', ...rules, ...command], {
    ...surroundings,
    // Set by pg_ctl, too: PostgreSQL does not take that process for another postmaster.
    env: { ...surroundings.env, ...(stranger !== undefined && { PG_GRANDPARENT_PID: String(stranger) }) },
    detached: true,
    stdio: 'ignore',
  });
  let exited = false;
  const end = (): void => {
    exited = true;
  };
  child.once('exit', end).once('error', end).unref();
  return {
    pid: child.pid,
    hasExited: () => exited,
    complaint: async () => (await readForeignFile(logPath, size)).trim(),
    stop: async () => {
      child.kill('SIGINT');
      await within(STOP_TIMEOUT_MS, () => Promise.resolve(exited));
    },
  };
}

/** @returns true if that postmaster serves the cluster no more, within half a minute */
export async function hasEnded(pid: number | undefined, { folder }: Cluster): Promise<boolean> {
  return within(STOP_TIMEOUT_MS, async () => {
    const serving = await readPostmasterFile(folder);
    return serving === undefined || serving.pid !== pid;
  });
}

async function within(milliseconds: number, holds: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (!(await holds())) {
    if (performance.now() > deadline) {
      return false;
    }
    await sleep(POLL_MS);
  }
  return true;
}

/**
 * Peer authentication: the kernel reports the connecting account to PostgreSQL. There is no secret to lose, and no
 * other connection, none for replication either.
 * @returns the contents of pg_hba.conf and pg_ident.conf
 */
async function accessRules({ account }: Cluster): Promise<readonly [string, string]> {
  const lines = [...(await admittedNames(account))].map(
    (name) => `${MAP} "${name.replaceAll('"', '""')}" ${CLUSTER_ROLE}\n`,
  );
  return [`${NOTE}local all ${CLUSTER_ROLE} peer map=${MAP}\n`, `${NOTE}${lines.join('')}`];
}

function settings(folder: string, durable: boolean): readonly string[] {
  const values = {
    hba_file: join(folder, 'pg_hba.conf'),
    ident_file: join(folder, 'pg_ident.conf'),
    listen_addresses: '',
    port: SOCKET_PORT,
    unix_socket_directories: folder,
    unix_socket_permissions: '0700',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // The log gets neither rows (DETAIL) nor statements: they may hold personal data.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
