import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { SocketConnection } from '../database/pool.ts';
import { ServiceError } from '../kernel/errors.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import { findPrograms, isolated, run, type Surroundings, unavailable } from './programs.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'data-folder.in-use': NoPayload;
    'installation.missing': NoPayload;
  }
}

/** PostgreSQL's data directory in a data folder, with socket and log; under root, with its owner. */
type Cluster = Surroundings & { readonly path: string };

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

export interface EmbeddedPostgres {
  readonly connection: SocketConnection;
  /** Leaves it; call it after the pool is closed. The last process to leave stops PostgreSQL. */
  readonly close: () => Promise<void>;
}

type EntryRequest = EmbeddedPostgresOptions & { readonly cluster: Cluster };

/** A process's membership: a connection that holds advisory locks. It ends with the process: a crash leaves nothing. */
interface Member {
  readonly client: pg.Client;
  readonly ended: Promise<unknown>;
}

/** The one role, a superuser of this private cluster, its database, and under root the account. */
const ROLE = 'tankeeper';
/** The order of text is the same on every machine. */
const INITDB =
  `--username ${ROLE} --no-instructions --auth-local trust --auth-host reject ` +
  '--encoding UTF8 --locale C --locale-provider builtin --builtin-locale C.UTF-8';
const ACCOUNT = `id "$0" >/dev/null 2>&1 || useradd --system --user-group --no-create-home --home-dir /nonexistent \
  --shell /usr/sbin/nologin "$0" || id "$0" >/dev/null && id -u "$0" && id -g "$0"`;
/** The longest path of a socket that every system accepts (macOS). */
const MAX_SOCKET_PATH = 103;

const LOG_FILE = 'postgres.log';
/** Keys of advisory locks: every member shares the first, the server has the second. */
const PRESENCE = "x'74616e6b'::int, 1";
const SERVER = "x'74616e6b'::int, 2";
const SERVER_NAME = `SELECT substring(application_name FROM 'process \\d+') AS name FROM pg_stat_activity
  WHERE application_name LIKE 'tankeeper server (%' AND pid <> pg_backend_pid() ORDER BY backend_start`;
/** Stops the postmaster, with the rights of its account, and waits for its end. */
const STOP = `pid=$(head -n 1 postmaster.pid) && kill -INT "$pid" || exit
while [ "$(head -n 1 postmaster.pid 2>/dev/null)" = "$pid" ]; do sleep 0.05; done`;
const POLL_MS = 25;
/** PostgreSQL may still count a server that was killed a moment ago. */
const SERVER_MS = 2_000;
/** After that time without a socket, the number in postmaster.pid is another process's, as after a reboot. */
const STALE_MS = 5_000;
/** The longest times of starts that fail, and of recovery. */
const RACE_MS = 15_000;
const RECOVERY_MS = 300_000;
const AGAIN_MS = 500;
const COME_BACK_MS = 5_000;
const ABSENT = /^(?:ENOENT|ECONNREFUSED) /;
/** A server starts or stops, or has no connection left for the moment. */
const CHANGING = /^(?:57P0.|53300|ECONNRESET|EPIPE|EAGAIN) |terminated|not queryable/i;

/**
 * Opens the private PostgreSQL of a data folder: joins a running one, else starts it, else creates it first. It has no
 * TCP port, only a socket in a folder that no other account may enter, and it survives this process if that is killed.
 * See docs/adr/0002-embedded-postgresql.md.
 * @throws ServiceError 'data-folder.in-use' for a second server, 'installation.missing' if there is none and none may
 *   be created, 'database.unavailable' for every other obstacle
 */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const request: EntryRequest = { ...options, cluster: await openCluster(options) };
  const first = await enterAs(request);
  const closing = new AbortController();
  const presence = keepPresent({ ...request, giveUp: closing.signal }, closing.signal, first);
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closing.abort();
    await leave(await presence, request);
  };
  return { connection: connectionOf(request.cluster), close: () => (closed ??= close()) };
}

function connectionOf({ path }: Cluster): SocketConnection {
  const options = '-c client_encoding=UTF8';
  return { host: path, port: 5432, user: ROLE, database: ROLE, ssl: false, options };
}

/** Enters, and as the server takes its place. */
async function enterAs(request: EntryRequest): Promise<Member> {
  const member = await enter(request);
  const deadline = performance.now() + SERVER_MS;
  while (request.role === 'server' && !(await tryLock(member.client, '', SERVER))) {
    if (performance.now() > deadline) {
      const { rows } = await member.client.query<{ name: string }>(SERVER_NAME);
      await leave(member, request);
      throw new ServiceError(
        'data-folder.in-use',
        `the data folder ${dirname(request.cluster.path)} is in use by another tankeeper server (${rows[0]?.name ?? 'unknown'})`,
      );
    }
    await sleep(POLL_MS);
  }
  return member;
}

/**
 * Until `signal`: after PostgreSQL has died or restarted, enters again, and starts it if necessary. Without that the next
 * command would be the last member and stop it under the server.
 * @returns the member to leave in the end
 */
async function keepPresent(request: EntryRequest, signal: AbortSignal, first: Member): Promise<Member> {
  const closed = once(signal, 'abort');
  let member = first;
  for (;;) {
    await Promise.race([member.ended, closed]);
    if (signal.aborted) {
      return member;
    }
    request.log.warn('The embedded database has gone away; looking for it again');
    try {
      member = await enterAs(request);
      request.log.info('The embedded database is back');
    } catch (error) {
      request.log.error('The embedded database does not come back', { ...describeFault(error) });
      await sleep(COME_BACK_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/**
 * Joins the running postmaster, or starts one. Any number of processes may do this at once, and while another one stops
 * the postmaster: each tries again until it has joined.
 */
async function enter(request: EntryRequest): Promise<Member> {
  const begun = performance.now();
  const lockFile = await readFile(join(request.cluster.path, 'postmaster.pid'), 'utf8').catch(() => '');
  const stale = /^\d+/.exec(lockFile)?.[0];
  let started: ChildProcess | undefined;
  try {
    for (let waited = 0; waited < RECOVERY_MS; waited = performance.now() - begun) {
      request.giveUp?.throwIfAborted();
      const outcome = await joinPostmaster(request);
      if (typeof outcome !== 'string') {
        return outcome;
      }
      if (outcome === 'absent') {
        started = await startUnlessRunning(request, started, waited, stale);
      }
      await sleep(POLL_MS);
    }
    throw unavailable(`the embedded database ${request.cluster.path} does not answer`);
  } catch (error) {
    // No other process has joined it. Nothing else may keep this process alive.
    if (started?.kill('SIGINT') === true) {
      started.ref();
      await once(started, 'exit');
    }
    throw error;
  }
}

/**
 * A start may fail because another process was first, or has already stopped it, or the former postmaster's children still
 * end: it is repeated for a while.
 * @throws ServiceError with PostgreSQL's own message
 */
async function startUnlessRunning(
  request: EntryRequest,
  started: ChildProcess | undefined,
  waited: number,
  stale: string | undefined,
): Promise<ChildProcess> {
  if (started?.exitCode === null && started.signalCode === null) {
    return started;
  }
  if (started !== undefined) {
    if (waited > RACE_MS) {
      const failure = `the embedded database does not start (${join(request.cluster.path, LOG_FILE)})`;
      const messages = await run(['tail', '-n', '3', LOG_FILE], request.cluster, failure);
      throw unavailable(`${failure}: ${messages.replaceAll('\n', '; ')}`);
    }
    await sleep(AGAIN_MS);
  }
  return startPostmaster(request, waited > STALE_MS ? stale : undefined);
}

/** @returns a member; 'absent' if no server is there, 'changing' while one starts or stops */
async function joinPostmaster({ cluster, role }: EntryRequest): Promise<Member | 'absent' | 'changing'> {
  const client = new pg.Client({
    ...connectionOf(cluster),
    // The locks are in a database without another use: they are per database.
    database: 'postgres',
    application_name: `tankeeper ${role} (process ${process.pid})`,
    connectionTimeoutMillis: 10_000,
  });
  // Without a listener, a connection that breaks while idle would end the process.
  client.on('error', () => undefined);
  const ended = once(client, 'end').catch(() => undefined);
  try {
    await client.connect();
    if (await tryLock(client, '_shared', PRESENCE)) {
      const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [ROLE]);
      if (rowCount === 0) {
        // If it fails because another process is first, the database is there.
        await client.query(`CREATE DATABASE ${ROLE}`).catch(() => undefined);
      }
      return { client, ended };
    }
    await client.end();
    return 'changing';
  } catch (error) {
    await client.end().catch(() => undefined);
    const reason = `${(error as { code?: string }).code ?? ''} ${String(error)}`;
    if (!ABSENT.test(reason) && !CHANGING.test(reason)) {
      throw error;
    }
    return ABSENT.test(reason) ? 'absent' : 'changing';
  }
}

async function tryLock(client: pg.Client, mode: '' | '_shared', key: string): Promise<boolean> {
  const sql = `SELECT pg_try_advisory_lock${mode}(${key}) AS taken`;
  return (await client.query<{ taken: boolean }>(sql)).rows[0]?.taken === true;
}

/** Leaves; if no other process is in, none can join from now on, and PostgreSQL is stopped. */
async function leave({ client }: Member, { cluster, log }: EntryRequest): Promise<void> {
  try {
    await client.query(`SELECT pg_advisory_unlock_shared(${PRESENCE})`);
    if (await tryLock(client, '', PRESENCE)) {
      await run(['/bin/sh', '-c', STOP], cluster, 'the embedded database cannot be stopped');
    }
  } catch (error) {
    log.warn('The embedded database was not stopped, and may run on', { ...describeFault(error) });
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Starts a postmaster in a session of its own, so that neither Ctrl-C nor the end of this process affects it, with its
 * output in a file: a pipe would break with this process.
 * @param stale the number in postmaster.pid, if that is another process by now
 */
async function startPostmaster(
  { cluster, durable = true, sharedFolder }: EntryRequest,
  stale: string | undefined,
): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: '.',
    unix_socket_permissions: '0700',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // The log gets neither rows (DETAIL) nor statements: they may hold personal data.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...(!durable && { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  };
  const bin = await findPrograms(cluster, sharedFolder);
  const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(bin, 'postgres'), '-D', ownPath(cluster.path), ...parameters];
  const { env, ...surroundings } = isolated(cluster);
  // The shell opens the log with the rights of the account. The lock of a former socket may name another process by now.
  const script = `umask 077; rm -f .s.PGSQL.5432.lock; exec "$@" >>${LOG_FILE} 2>&1`;
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...command], {
    ...surroundings,
    // Set by pg_ctl, too: PostgreSQL does not take that process for another postmaster.
    env: { ...env, ...(stale !== undefined && { PG_GRANDPARENT_PID: stale }) },
    detached: true,
    stdio: 'ignore',
  });
  // Without a listener, a start that fails would end this process.
  child.once('error', () => undefined).unref();
  return child;
}

/** The cluster's path for a process that works in it: its account may not reach the real one, as in root's home. */
const ownPath = (path: string): string => (process.platform === 'linux' ? '/proc/self/cwd' : path);

/**
 * Finds the cluster of a data folder, or creates it.
 * @throws ServiceError 'installation.missing' if there is none and none may be created, 'database.unavailable'
 */
async function openCluster(request: EmbeddedPostgresOptions): Promise<Cluster> {
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
