import { constants } from 'node:fs';
import { spawn } from 'node:child_process';
import { lstat, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SocketConnection } from '../database/pool.ts';
import { isolatedSurroundings, type PostgresPrograms, SHELL, unavailable } from './programs.ts';
import { type Cluster, CLUSTER_ROLE, ownPath, SOCKET, SOCKET_PORT } from './cluster.ts';
import pg from 'pg';

/** The content of postmaster.pid. It is not trusted: the cluster's account may write it, and copies include it. */
export interface PostmasterFile {
  readonly pid: number;
  /** False while it starts. */
  readonly listens: boolean;
}

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
/**
 * Runs as the cluster's account, in the cluster, and becomes the postmaster. Who reaches the socket, in a folder of mode
 * 0700, is admitted. Removes the lock of an earlier postmaster's socket: postmaster.pid alone decides which one serves.
 */
const START = `
umask 077
exec >>${LOG_FILE} 2>&1
printf 'local all ${CLUSTER_ROLE} trust\\n' >pg_hba.conf.$$ && mv -f pg_hba.conf.$$ pg_hba.conf || exit
rm -f ${SOCKET}.lock
exec "$@"
`;

/** @returns the content of postmaster.pid, undefined if there is none or it is still empty */
export async function readPostmasterFile(folder: string): Promise<PostmasterFile | undefined> {
  const lines = (await readForeignFile(join(folder, 'postmaster.pid'))).split('\n');
  const pid = /^\d{1,10}$/.test(lines[0] ?? '') ? Number(lines[0]) : 0;
  return pid > 0 ? { pid, listens: (lines[4] ?? '') !== '' } : undefined;
}

/**
 * After a crash, the number in postmaster.pid may be that of any other process, which PostgreSQL takes for a postmaster.
 * @returns what has the number; 'nothing' also without /proc (macOS), where PostgreSQL decides
 */
export async function holderOf(pid: number): Promise<'postgres' | 'stranger' | 'nothing'> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (status === undefined) {
    return 'nothing';
  }
  // One that has ended keeps its number until its parent looks.
  return /^\d+ \(postgres\) [^ZX]/.test(status) ? 'postgres' : 'stranger';
}

/**
 * Starts a postmaster in a session of its own, so that neither Ctrl-C nor the end of this process affects it. pg_ctl is
 * not used: it passes the paths to a shell as part of its command. Its output goes to a file: a pipe would break with
 * this process.
 * @param durable commits must survive a power cut
 * @param stranger a process in postmaster.pid that is no postmaster, although PostgreSQL takes it for one
 */
export async function startPostmaster(
  { postgres }: PostgresPrograms,
  cluster: Cluster,
  { durable, stranger }: { readonly durable: boolean; readonly stranger: number | undefined },
): Promise<StartedPostmaster> {
  const logPath = join(cluster.path, LOG_FILE);
  const size = await lstat(logPath).then(
    (status) => status.size,
    () => 0,
  );
  const path = ownPath(cluster.path);
  const command = [postgres, '-D', path, ...settings(path, durable)];
  const surroundings = isolatedSurroundings({ account: cluster.account, folder: cluster.path });
  const child = spawn(SHELL, ['-c', START, 'sh', ...command], {
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
export async function hasEnded(pid: number | undefined, { path }: Cluster): Promise<boolean> {
  return within(STOP_TIMEOUT_MS, async () => {
    const serving = await readPostmasterFile(path);
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

function settings(folder: string, durable: boolean): readonly string[] {
  const values = {
    hba_file: join(folder, 'pg_hba.conf'),
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

// A link may lead anywhere, and opening a pipe would wait.
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const MAX_FILE = 8192;

/**
 * Reads a small file that PostgreSQL's account may have made: only a regular file, and its last 8 KiB at most.
 * @param from the first byte to read
 * @returns an empty text if there is none
 */
async function readForeignFile(path: string, from = 0): Promise<string> {
  const file = await open(path, OPEN_FILE).catch(() => undefined);
  try {
    const status = await file?.stat();
    if (file === undefined || status?.isFile() !== true) {
      return '';
    }
    const position = Math.max(from, status.size - MAX_FILE);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_FILE), 0, MAX_FILE, position);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file?.close();
  }
}

/** The role of this process: the server, of which there is one, or a command. */
export type EmbeddedRole = 'server' | 'command';

/**
 * A process's membership in the cluster: a connection of its own that holds an advisory lock while it lives. The
 * operating system ends it with the process, so a crash leaves nothing to clean up.
 */
export interface Membership {
  /** Settles when the connection has ended, on either side. */
  readonly ended: Promise<void>;
  /** @returns the process id of the present server; undefined if this process is now the server */
  becomeServer(): Promise<string | undefined>;
  /** Gives up the lock; if no other process has it, none can join from now on, and PostgreSQL is told to stop. */
  leave(): Promise<'stopping' | 'others remain'>;
  end(): Promise<void>;
}

/** The reason for no membership: a server starts or stops (try again), or there is none at this socket. */
export type JoinRefusal = 'changing' | 'absent';

const DATABASE = 'tankeeper';
/** First half of all our lock keys: "tank". */
const LOCK_CLASS = 0x74616e6b;
const PRESENCE = 1;
const SERVER = 2;
const SERVER_WAIT_MS = 2_000;
/** The database exists, or another session creates it. */
const EXISTS = ['42P04', '23505'];
/**
 * Interrupts the parent of this session's process, which is the postmaster, with the rights of its own account. The
 * number in postmaster.pid proves nothing: the account may write there whatever it wants root to signal.
 */
const STOP = `COPY (SELECT 1) TO PROGRAM
  'read -r own name state parent rest </proc/$PPID/stat || parent=$(ps -o ppid= -p $PPID); kill -INT $parent'`;

export function embeddedConnection({ path }: Cluster): SocketConnection {
  return {
    host: path,
    port: SOCKET_PORT,
    user: CLUSTER_ROLE,
    database: DATABASE,
    ssl: false,
    options: '-c client_encoding=UTF8',
  };
}

/**
 * @throws ServiceError 'database.unavailable' if the socket leads to another cluster, and any error other than "no server there" and "a server that starts or stops"
 */
export async function joinCluster(cluster: Cluster, role: EmbeddedRole): Promise<Membership | JoinRefusal> {
  const client = new pg.Client({
    ...embeddedConnection(cluster),
    // The locks are in a database without another use: they are per database.
    database: 'postgres',
    application_name: `tankeeper ${role} (process ${process.pid})`,
    connectionTimeoutMillis: 10_000,
  });
  // Without a listener, a connection that breaks while idle would end the process.
  client.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    client.once('end', resolve);
  });
  try {
    await client.connect();
    await assertServes(client, cluster);
    if (!(await tryLock(client, 'pg_try_advisory_lock_shared', PRESENCE))) {
      await client.end();
      return 'changing';
    }
    await createDatabase(client);
    return membership(client, ended);
  } catch (error) {
    await client.end().catch(() => undefined);
    return refusal(error);
  }
}

/**
 * Verifies that the server works in this folder, by a file that it makes there and removes: a socket may be the hard
 * link of another one.
 */
async function assertServes(client: pg.Client, { path }: Cluster): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  const { rows } = await client.query<{ name: string }>('SELECT pg_export_snapshot() AS name');
  const isHere = await lstat(join(path, 'pg_snapshots', rows[0]?.name ?? '')).then(
    (status) => status.isFile(),
    () => false,
  );
  await client.query('COMMIT');
  if (!isHere) {
    throw unavailable(
      `the socket for the embedded database ${path} leads to another one; stop the servers of both, and remove the socket here`,
    );
  }
}

function refusal(error: unknown): JoinRefusal {
  const code = (error as { code?: string }).code ?? '';
  if (['ENOENT', 'ECONNREFUSED'].includes(code)) {
    return 'absent';
  }
  // Starting up or shutting down; cut off by a shutdown; a backlog or connection limit that is full for the moment.
  if (
    /^57P0|^53300$|^ECONNRESET$|^EPIPE$|^EAGAIN$/.test(code) ||
    /terminated|not queryable/i.test(String(error))
  ) {
    return 'changing';
  }
  throw error;
}

function membership(client: pg.Client, ended: Promise<void>): Membership {
  return {
    ended,
    becomeServer: async () => {
      const deadline = performance.now() + SERVER_WAIT_MS;
      // PostgreSQL may still count a server that was killed a moment ago.
      while (!(await tryLock(client, 'pg_try_advisory_lock', SERVER))) {
        if (performance.now() > deadline) {
          return serverProcess(client);
        }
        await sleep(POLL_MS);
      }
      return undefined;
    },
    leave: async () => {
      await client.query('SELECT pg_advisory_unlock_shared($1, $2)', [LOCK_CLASS, PRESENCE]);
      if (!(await tryLock(client, 'pg_try_advisory_lock', PRESENCE))) {
        return 'others remain';
      }
      // Its end cuts off the statement.
      await client.query(STOP).catch(() => undefined);
      return 'stopping';
    },
    end: async () => {
      await client.end().catch(() => undefined);
    },
  };
}

async function tryLock(
  client: pg.Client,
  take: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared',
  key: number,
): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(`SELECT ${take}($1, $2) AS taken`, [
    LOCK_CLASS,
    key,
  ]);
  return rows[0]?.taken === true;
}

async function serverProcess(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT application_name AS name FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND classid = $1 AND objid = $2 AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [LOCK_CLASS, SERVER],
  );
  return /process (\d+)/.exec(rows[0]?.name ?? '')?.[1] ?? 'unknown';
}

async function createDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
  if (rowCount === 0) {
    await client.query(`CREATE DATABASE ${DATABASE}`).catch((error: unknown) => {
      if (!EXISTS.includes((error as { code?: string }).code ?? '')) {
        throw error;
      }
    });
  }
}
