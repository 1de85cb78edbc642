import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { SocketConnection } from '../database/pool.ts';
import { ServiceError } from '../kernel/errors.ts';
import { describeFault } from '../kernel/log.ts';
import { type Cluster, type EmbeddedPostgresOptions, openCluster, ownPath, ROLE } from './cluster.ts';
import { findPrograms, isolated, run, unavailable } from './programs.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'data-folder.in-use': NoPayload;
    'installation.missing': NoPayload;
  }
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
