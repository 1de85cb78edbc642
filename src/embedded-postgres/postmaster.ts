import { spawn } from 'node:child_process';
import { lstat, open, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { SystemAccount } from './account.ts';
import type { AccessRules } from './access.ts';
import type { PostgresPrograms } from './binaries.ts';
import type { ClusterLocation } from './location.ts';
import { isolatedSurroundings, runProgram, runScript, SHELL } from './program.ts';
import { isSameFolder, readForeignFile } from './untrusted-files.ts';

/** The content of postmaster.pid. It is not trusted: the cluster's account may write it, and copies include it. */
export interface PostmasterFile {
  readonly pid: number;
  /** The data directory of the postmaster that wrote it. */
  readonly cluster: string;
  /** Absent while it starts. */
  readonly socketFolder: string | undefined;
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

/** The settings of a postmaster. */
export interface PostmasterSettings {
  readonly socketFolder: string;
  /** Commits must survive a power cut. */
  readonly durable: boolean;
  readonly access: AccessRules;
  /** A process in postmaster.pid that is no postmaster of this cluster, although PostgreSQL takes it for one. */
  readonly stranger: number | undefined;
}

/** Names the socket: `<folder>/.s.PGSQL.5432`. No TCP port is opened. */
export const SOCKET_PORT = 5432;
const POLL_MS = 20;
const STOP_TIMEOUT_MS = 30_000;
/**
 * Runs as the cluster's account. $1: a log to open, $3 and $4: the contents of the two files; each may be empty.
 * Removes the socket ($5) of an earlier postmaster: the folder belongs to this cluster alone, and postmaster.pid alone
 * decides which one serves.
 */
const START = `
umask 077
[ -z "$1" ] || exec >>"$1" 2>&1
cd -- "$2" || exit
[ -z "$3" ] || { printf %s "$3" >"pg_hba.conf.$$" && mv -f "pg_hba.conf.$$" pg_hba.conf; } || exit
[ -z "$4" ] || { printf %s "$4" >"pg_ident.conf.$$" && mv -f "pg_ident.conf.$$" pg_ident.conf; } || exit
[ ! -e "$5" ] || rm -f -- "$5"
shift 5
exec "$@"
`;

/** @returns the content of postmaster.pid, undefined if there is none or it is still empty */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const text = await readForeignFile(join(cluster, 'postmaster.pid')).catch(() => '');
  const lines = text.split('\n');
  const pid = /^\d{1,10}$/.test(lines[0] ?? '') ? Number(lines[0]) : 0;
  const socketFolder = lines[4];
  return pid > 0
    ? { pid, cluster: lines[1] ?? '', socketFolder: socketFolder === '' ? undefined : socketFolder }
    : undefined;
}

/**
 * Starts a postmaster in a session of its own, so that neither Ctrl-C nor the end of this process affects it. pg_ctl is
 * not used: it passes the paths to a shell as part of its command. Its output goes to a file: a pipe would break with
 * this process. The shell that prepares the account's own files becomes the postmaster.
 */
export async function startPostmaster(
  programs: PostgresPrograms,
  location: ClusterLocation,
  settings: PostmasterSettings,
): Promise<StartedPostmaster> {
  const { dataFolder, cluster, accountOwnsFolder } = location;
  const { access, socketFolder, stranger } = settings;
  const logPath = join(dataFolder, 'postgres.log');
  const size = await lstat(logPath).then(
    (status) => status.size,
    () => 0,
  );
  // In a folder of the account, a file of that name could be a link.
  const log = accountOwnsFolder ? undefined : await open(logPath, 'a', 0o600);
  const output = log?.fd ?? 'ignore';
  const args = [
    log === undefined ? logPath : '',
    cluster,
    await missingIn(join(cluster, 'pg_hba.conf'), access.connections),
    await missingIn(join(cluster, 'pg_ident.conf'), access.accounts),
    join(socketFolder, `.s.PGSQL.${SOCKET_PORT}.lock`),
  ];
  const command = [programs.postgres, '-D', cluster, ...asParameters(cluster, settings)];
  const surroundings = isolatedSurroundings(programs.context);
  try {
    const child = spawn(SHELL, ['-c', START, 'sh', ...args, ...command], {
      ...surroundings,
      // Set by pg_ctl, too: PostgreSQL does not take that process for another postmaster.
      env: { ...surroundings.env, ...(stranger !== undefined && { PG_GRANDPARENT_PID: String(stranger) }) },
      detached: true,
      stdio: ['ignore', output, output],
    });
    let exited = false;
    child.once('exit', () => {
      exited = true;
    });
    child.once('error', () => {
      exited = true;
    });
    child.unref();
    return {
      pid: child.pid,
      hasExited: () => exited,
      complaint: async () => (await readForeignFile(logPath, size).catch(() => '')).trim(),
      stop: async () => {
        const deadline = performance.now() + STOP_TIMEOUT_MS;
        child.kill('SIGINT');
        while (!exited && performance.now() < deadline) {
          await sleep(POLL_MS);
        }
      },
    };
  } finally {
    await log?.close();
  }
}

/** @returns the required content of the file; empty if the file has it */
async function missingIn(path: string, content: string): Promise<string> {
  return (await readForeignFile(path).catch(() => undefined)) === content ? '' : content;
}

/**
 * Stops the cluster's postmaster: only that one, and only with the rights of its account.
 * @returns true if it has ended, within half a minute
 */
export async function stopPostmaster({ cluster, account }: ClusterLocation): Promise<boolean> {
  const serving = await readPostmasterFile(cluster);
  if (serving === undefined) {
    return true;
  }
  const isSignalled = (await isPostmasterOf(serving.pid, cluster)) && (await interrupt(serving.pid, account));
  const deadline = performance.now() + (isSignalled ? STOP_TIMEOUT_MS : 0);
  while ((await readPostmasterFile(cluster))?.pid === serving.pid) {
    if (performance.now() > deadline) {
      return false;
    }
    await sleep(POLL_MS);
  }
  return true;
}

/** @returns true if the signal was sent */
async function interrupt(pid: number, account: SystemAccount | undefined): Promise<boolean> {
  if (account !== undefined) {
    return (await runScript('kill -INT "$1"', [String(pid)], account)).status === 0;
  }
  try {
    return process.kill(pid, 'SIGINT');
  } catch {
    return false;
  }
}

function asParameters(cluster: string, { socketFolder, durable }: PostmasterSettings): readonly string[] {
  const settings = {
    hba_file: join(cluster, 'pg_hba.conf'),
    ident_file: join(cluster, 'pg_ident.conf'),
    listen_addresses: '',
    port: SOCKET_PORT,
    unix_socket_directories: socketFolder,
    unix_socket_permissions: '0700',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // The log gets neither rows (DETAIL) nor statements: they may hold personal data.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * @returns true if the process is a PostgreSQL that works in this cluster and runs as its owner. A process id in a file
 *   proves neither: after a crash, in a copy or by an attack it may be that of any other process.
 */
export async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  const owner = await stat(cluster).catch(() => undefined);
  if (owner === undefined) {
    return false;
  }
  if ((await readlink('/proc/self/cwd').catch(() => undefined)) === undefined) {
    return isListedAsPostmaster(pid, cluster, owner.uid);
  }
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  if (!/^Name:\tpostgres$/m.test(status) || /^Uid:\t(\d+)\t/m.exec(status)?.[1] !== String(owner.uid)) {
    return false;
  }
  // A postmaster's current folder is its data directory, even after that was renamed.
  return (
    (await isSameFolder(`/proc/${pid}/cwd`, cluster)) ||
    (process.getuid?.() === 0 && (await ownerSeesSameFolder(pid, cluster, owner)))
  );
}

/** Compares as the account: in a container root may not read the folder of another account's process. */
async function ownerSeesSameFolder(
  pid: number,
  cluster: string,
  { uid, gid }: { uid: number; gid: number },
): Promise<boolean> {
  const parameters = [`/proc/${pid}/cwd`, cluster];
  return uid !== 0 && (await runScript('[ "$1" -ef "$2" ]', parameters, { uid, gid })).status === 0;
}

/** Answers as `isPostmasterOf`, without /proc (macOS), by the command line, which names the data directory. */
export async function isListedAsPostmaster(pid: number, cluster: string, uid: number): Promise<boolean> {
  const { output } = await runProgram('/bin/ps', ['-ww', '-o', 'uid=,command=', '-p', String(pid)], {
    account: undefined,
    libraryPath: undefined,
  });
  const [, owner, command = ''] = /^\s*(\d+)\s+(.*)$/.exec(output) ?? [];
  return owner === String(uid) && /(?:^|\/)postgres /.test(command) && command.includes(` -D ${cluster} -c `);
}
