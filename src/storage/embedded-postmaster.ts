import { spawn } from 'node:child_process';
import { open, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { PostgresPrograms } from './embedded-binaries.ts';
import type { ClusterLocation } from './embedded-location.ts';
import { isolatedSurroundings, runProgram } from './embedded-program.ts';

/** What PostgreSQL's main process writes into postmaster.pid: the truth about who serves a cluster, unless it is stale. */
export interface PostmasterFile {
  readonly pid: number;
  /** Absent while it starts. */
  readonly socketFolder: string | undefined;
}

/** A postmaster that this process started. */
export interface StartedPostmaster {
  readonly pid: number | undefined;
  hasExited(): boolean;
  /** What it wrote to its log since it was started. */
  complaint(): Promise<string>;
  /** Stops it, whether it serves already or not; waits half a minute at most. */
  stop(): Promise<void>;
}

/** How a postmaster is to run. */
export interface PostmasterSettings {
  readonly socketFolder: string;
  /** Whether commits must survive a power cut. */
  readonly durable: boolean;
}

/** Names the socket: `<folder>/.s.PGSQL.5432`. No TCP port is opened. */
export const SOCKET_PORT = 5432;
const POLL_MS = 20;
const STOP_LIMIT_MS = 30_000;

/** @returns what postmaster.pid says, undefined when there is none or it is still empty */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  const socketFolder = lines[4];
  return pid > 0 ? { pid, socketFolder: socketFolder === '' ? undefined : socketFolder } : undefined;
}

/**
 * @returns whether the process that postmaster.pid names really is this cluster's postmaster. After a crash or a reboot
 * the number may belong to any other process of this user, and PostgreSQL would refuse to start because of it.
 */
export async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  if ((await readlink('/proc/self/cwd').catch(() => undefined)) === undefined) {
    const { output } = await runProgram('/bin/ps', ['-o', 'command=', '-p', String(pid)], {
      account: undefined,
      libraryPath: undefined,
    });
    return output.includes('postgres');
  }
  try {
    // A postmaster's current folder is its data directory.
    return (await readlink(`/proc/${pid}/cwd`)) === cluster;
  } catch (error) {
    // Another user's process: PostgreSQL recognises that itself.
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

/** Removes the lock files of a postmaster that is no more, if they still are that one's. */
export async function removeStaleFiles(cluster: string, stale: PostmasterFile): Promise<void> {
  if ((await readPostmasterFile(cluster))?.pid !== stale.pid) {
    return;
  }
  await rm(join(cluster, 'postmaster.pid'), { force: true });
  if (stale.socketFolder !== undefined) {
    await rm(join(stale.socketFolder, `.s.PGSQL.${SOCKET_PORT}.lock`), { force: true });
  }
}

/**
 * Starts a postmaster in a session of its own, so that neither Ctrl-C nor the end of this process touches it. Not by
 * pg_ctl, which hands the paths to a shell; with a file for its output, because a pipe to us would break with us.
 */
export async function startPostmaster(
  programs: PostgresPrograms,
  location: ClusterLocation,
  settings: PostmasterSettings,
): Promise<StartedPostmaster> {
  const logPath = join(location.dataFolder, 'postgres.log');
  const log = await open(logPath, 'a', 0o600);
  try {
    const { size } = await log.stat();
    const child = spawn(programs.postgres, ['-D', location.cluster, ...asParameters(settings)], {
      ...isolatedSurroundings(programs.context),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
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
      complaint: async () => (await readFile(logPath)).subarray(size).toString('utf8').trim(),
      stop: async () => {
        const deadline = performance.now() + STOP_LIMIT_MS;
        child.kill('SIGINT');
        while (!exited && performance.now() < deadline) {
          await sleep(POLL_MS);
        }
      },
    };
  } finally {
    await log.close();
  }
}

/** Stops the postmaster that serves the cluster. @returns whether it is gone, within half a minute */
export async function stopPostmaster(cluster: string): Promise<boolean> {
  const serving = await readPostmasterFile(cluster);
  if (serving === undefined) {
    return true;
  }
  try {
    process.kill(serving.pid, 'SIGINT');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  const deadline = performance.now() + STOP_LIMIT_MS;
  while ((await readPostmasterFile(cluster))?.pid === serving.pid) {
    if (performance.now() > deadline) {
      return false;
    }
    await sleep(POLL_MS);
  }
  return true;
}

function asParameters({ socketFolder, durable }: PostmasterSettings): readonly string[] {
  const settings = {
    listen_addresses: '',
    port: SOCKET_PORT,
    unix_socket_directories: socketFolder,
    unix_socket_permissions: '0700',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // Neither rows (DETAIL) nor statements in the log: they may hold what must not lie about in a file.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
