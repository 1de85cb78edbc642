import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { SocketConnection } from '../database/pool.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type Log, describeFault } from '../kernel/log.ts';
import { type Cluster, createCluster, findCluster, noClusterIn, openDataFolder } from './cluster.ts';
import {
  type EmbeddedRole,
  type JoinRefusal,
  type Membership,
  embeddedConnection,
  joinCluster,
  LOG_FILE,
  type PostmasterFile,
  type StartedPostmaster,
  hasEnded,
  holderOf,
  readPostmasterFile,
  startPostmaster,
} from './postmaster.ts';
import { type PostgresPrograms, type SystemAccount, findPrograms, unavailable } from './programs.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'data-folder.in-use': NoPayload;
    'installation.missing': NoPayload;
  }
}

/*
 * A private PostgreSQL for an installation without DATABASE_URL, opened by `openEmbeddedPostgres`. Other folders import
 * nothing else, except `removeEmbeddedPostgres` for the demo. Opening takes these steps: find the cluster in the data
 * folder or create it, as an account of its own if this process is root (cluster); join the running postmaster, or start
 * one (postmaster, programs). Members hold advisory locks; the last one to leave stops the postmaster. See
 * docs/adr/0002-embedded-postgresql.md.
 */

export { removeEmbeddedPostgres } from './cluster.ts';

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** 'server' for the one server of a data folder, 'command' for everything else. */
  readonly role: EmbeddedRole;
  /** Creates a missing one; true by default. */
  readonly create?: boolean;
  readonly giveUp?: AbortSignal | undefined;
  /** Commits survive a power cut; false only for tests. */
  readonly durable?: boolean;
  /** The folder of PostgreSQL's `bin`, `lib` and `share`; default: the installed package. */
  readonly nativeFolder?: string;
  /** The place of the programs' copy, if PostgreSQL's account does not reach the package. */
  readonly sharedFolder?: string;
}

export interface EmbeddedPostgres {
  readonly connection: SocketConnection;
  /** It was not running before. */
  readonly startedHere: boolean;
  /** Leaves it; call it after the pool is closed. The last process to leave stops PostgreSQL. */
  readonly close: () => Promise<void>;
}

const SHARED_FOLDER = '/var/lib/tankeeper';
const RETRY_MS = 5_000;

/**
 * Opens the private PostgreSQL of a data folder: joins a running one, else starts it, else creates it first. It has no
 * TCP port, only a socket in a folder that no other account may enter, and it survives this process if that is killed.
 * @throws ServiceError 'data-folder.in-use' for a second server, 'installation.missing' if there is none and none may
 *   be created, 'database.unavailable' for every other obstacle
 */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { role, durable = true, log, giveUp, sharedFolder = SHARED_FOLDER } = options;
  const dataFolder = await openDataFolder(options.dataDir, options.create ?? true);
  const programsFor = (account: SystemAccount | undefined) =>
    findPrograms({
      account,
      nativeFolder: options.nativeFolder,
      copyFolder: account === undefined ? join(dataFolder, 'postgres.programs') : sharedFolder,
    });
  const found = await findCluster(dataFolder);
  if (found === undefined && options.create === false) {
    throw noClusterIn(dataFolder);
  }
  const cluster = found ?? (await createCluster({ dataFolder, durable, findPrograms: programsFor }));
  const closing = new AbortController();
  const request: EntryRequest = {
    cluster,
    role,
    durable,
    findPrograms: () => programsFor(cluster.account),
    log,
    signal: closing.signal,
  };
  const first = await enterAs({ ...request, signal: giveUp ?? closing.signal });
  const presence = keepPresent(request, first);
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closing.abort();
    await leave(await presence, cluster, log);
  };
  return {
    connection: embeddedConnection(cluster),
    startedHere: first.startedHere,
    close: () => (closed ??= close()),
  };
}

async function enterAs(request: EntryRequest): Promise<ClusterEntry> {
  const { cluster, role, log } = request;
  const entry = await enterCluster(request);
  const server = role === 'server' ? await entry.membership.becomeServer() : undefined;
  if (server !== undefined) {
    await leave(entry, cluster, log);
    throw new ServiceError(
      'data-folder.in-use',
      `the data folder ${cluster.dataFolder} is in use by another tankeeper server (process ${server})`,
    );
  }
  return entry;
}

/**
 * Watches the membership until `request.signal`: after PostgreSQL has restarted or died, enters again and starts it if
 * necessary. Without that the next command would be the last member and stop it under the server.
 * @returns the entry to leave in the end
 */
async function keepPresent(request: EntryRequest, first: ClusterEntry): Promise<ClusterEntry> {
  const { signal, log } = request;
  const closed = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
  let entry = first;
  for (;;) {
    await Promise.race([entry.membership.ended, closed]);
    if (signal.aborted) {
      return entry;
    }
    log.warn('The embedded database has gone away; looking for it again');
    try {
      entry = await enterAs(request);
      log.info('The embedded database is back', { startedHere: entry.startedHere });
    } catch (error) {
      log.error('The embedded database does not come back', { ...describeFault(error) });
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function leave({ membership }: ClusterEntry, cluster: Cluster, log: Log): Promise<void> {
  try {
    const serving = await readPostmasterFile(cluster.path);
    if ((await membership.leave()) === 'stopping' && !(await hasEnded(serving?.pid, cluster))) {
      log.warn('The embedded database could not be stopped, or not in time, and is left running');
    }
  } catch (error) {
    log.warn('The connection to the embedded database was lost before it could be stopped', {
      ...describeFault(error),
    });
  } finally {
    await membership.end();
  }
}

interface EntryRequest {
  readonly cluster: Cluster;
  readonly role: EmbeddedRole;
  readonly durable: boolean;
  readonly findPrograms: () => Promise<PostgresPrograms>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** A process's membership. */
interface ClusterEntry {
  readonly membership: Membership;
  /** This process started the running postmaster. */
  readonly startedHere: boolean;
}

/** What has happened since the attempt began. */
interface Attempt {
  readonly begun: number;
  started?: StartedPostmaster;
}

const POLL_MS = 25;
const ABSENCE_TIMEOUT_MS = 30_000;
/** The longest wait for progress in milliseconds: recovery after a crash may take long. */
const CHANGE_TIMEOUT_MS = 300_000;
/** Another process was first, or has already stopped ours, or the former postmaster's children still end: try again. */
const RACE =
  /lock file .* (?:already exists|is empty)|pre-existing shared memory block|received (?:fast|smart|immediate) shutdown request/;

/**
 * Joins the cluster's running postmaster, or starts one. Any number of processes may do this at once, and while another
 * one stops the postmaster: each tries again until it has joined.
 * @throws ServiceError 'data-folder.in-use' for a second server; 'database.unavailable' with PostgreSQL's own message,
 *   or after 30 s without progress; the reason of `request.signal`
 */
async function enterCluster(request: EntryRequest): Promise<ClusterEntry> {
  const attempt: Attempt = { begun: performance.now() };
  try {
    return await enter(request, attempt);
  } catch (error) {
    // A postmaster that this process started ends with the attempt: no other process has joined it.
    if (attempt.started?.hasExited() === false) {
      await attempt.started.stop();
    }
    throw error;
  }
}

async function enter(request: EntryRequest, attempt: Attempt): Promise<ClusterEntry> {
  const { cluster, role } = request;
  for (;;) {
    request.signal.throwIfAborted();
    const serving = await readPostmasterFile(cluster.path);
    const outcome = serving?.listens === true ? await joinCluster(cluster, role) : 'absent';
    if (typeof outcome !== 'string') {
      return { membership: outcome, startedHere: attempt.started?.pid === serving?.pid };
    }
    if (outcome === 'absent') {
      await startUnlessRunning(request, serving, attempt);
    }
    assertWithinTimeout(outcome, attempt, cluster, serving);
    await sleep(POLL_MS);
  }
}

async function startUnlessRunning(
  request: EntryRequest,
  serving: PostmasterFile | undefined,
  attempt: Attempt,
): Promise<void> {
  const { cluster, durable, log } = request;
  const { started } = attempt;
  const holder = serving === undefined ? 'nothing' : await holderOf(serving.pid);
  if (started?.hasExited() === false || holder === 'postgres') {
    return;
  }
  if (started !== undefined) {
    assertRace(await started.complaint(), cluster);
  }
  if (serving !== undefined) {
    log.warn(
      'The embedded database was not stopped in order, or was copied while it ran; PostgreSQL recovers what is there',
      { dataFolder: cluster.dataFolder },
    );
  }
  const programs = await request.findPrograms();
  const stranger = holder === 'stranger' ? serving?.pid : undefined;
  attempt.started = await startPostmaster(programs, cluster, { durable, stranger });
}

/** @throws ServiceError with PostgreSQL's own message if it ended for another reason than a race of starts */
function assertRace(complaint: string, cluster: Cluster): void {
  if (RACE.test(complaint)) {
    return;
  }
  const reason = complaint.split('\n').at(-1) ?? '';
  throw unavailable(
    `the embedded database does not start: ${reason === '' ? `${join(cluster.path, LOG_FILE)} does not say why, or cannot be written` : reason}`,
    { detail: complaint },
  );
}

function assertWithinTimeout(
  outcome: JoinRefusal,
  { begun }: Attempt,
  cluster: Cluster,
  serving: PostmasterFile | undefined,
): void {
  const waited = performance.now() - begun;
  if (waited > (outcome === 'changing' ? CHANGE_TIMEOUT_MS : ABSENCE_TIMEOUT_MS)) {
    const culprit =
      serving === undefined
        ? ''
        : `; process ${serving.pid} serves it, but cannot be reached. If the folder is a copy of one whose database runs, stop that and copy it again, or remove ${join(cluster.path, 'postmaster.pid')}`;
    throw unavailable(`the embedded database in ${cluster.dataFolder} does not answer${culprit}`);
  }
}
