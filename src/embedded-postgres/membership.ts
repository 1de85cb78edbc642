import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import pg from 'pg';

import { type Cluster, CLUSTER_ROLE, SOCKET_PORT } from './cluster.ts';
import { unavailable } from './programs.ts';

/** The role of this process: the server, of which there is one, or a command. */
export type EmbeddedRole = 'server' | 'command';

/** All fields are explicit: pg would take a missing one from PG* variables. */
export interface EmbeddedConnection {
  /** The folder of the socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly ssl: false;
  readonly options: string;
}

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
const POLL_MS = 50;
/** Peer authentication has failed. */
const INVALID_AUTHORIZATION = '28000';
/** The database exists, or another session creates it. */
const EXISTS = ['42P04', '23505'];
/**
 * Interrupts the parent of this session's process, which is the postmaster, with the rights of its own account. The
 * number in postmaster.pid proves nothing: the account may write there whatever it wants root to signal.
 */
const STOP = `COPY (SELECT 1) TO PROGRAM
  'read -r own name state parent rest </proc/$PPID/stat || parent=$(ps -o ppid= -p $PPID); kill -INT $parent'`;

/** @returns the connection to the service's database */
export function embeddedConnection({ socketFolder }: Cluster): EmbeddedConnection {
  return {
    host: socketFolder,
    port: SOCKET_PORT,
    user: CLUSTER_ROLE,
    database: DATABASE,
    ssl: false,
    options: '-c client_encoding=UTF8',
  };
}

/**
 * @throws ServiceError 'database.unavailable' if the socket leads to another cluster, or its server does not admit this
 *   process, and any error other than "no server there" and "a server that starts or stops"
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
async function assertServes(client: pg.Client, { folder, path }: Cluster): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  const { rows } = await client.query<{ name: string }>('SELECT pg_export_snapshot() AS name');
  const isHere = await lstat(join(folder, 'pg_snapshots', rows[0]?.name ?? '')).then(
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
  if (code === INVALID_AUTHORIZATION) {
    throw unavailable(
      'the embedded database was started by another user, and admits only that user and root',
      { cause: error },
    );
  }
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
