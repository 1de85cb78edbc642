import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Cluster } from './cluster.ts';
import { type EmbeddedRole, joinCluster, type JoinRefusal, type Membership } from './membership.ts';
import {
  LOG_FILE,
  type PostmasterFile,
  readPostmasterFile,
  type StartedPostmaster,
  startPostmaster,
  whoseProcess,
} from './postmaster.ts';
import type { PostgresPrograms } from './programs.ts';

/** The parameters of entering a cluster. */
export interface EntryRequest {
  readonly cluster: Cluster;
  /** Joins a running one only. */
  readonly joinsOnly: boolean;
  readonly role: EmbeddedRole;
  readonly durable: boolean;
  readonly findPrograms: () => Promise<PostgresPrograms>;
  readonly log: Log;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
}

/** A process's membership. */
export interface ClusterEntry {
  readonly membership: Membership;
  /** This process started the running postmaster. */
  readonly startedHere: boolean;
}

/** What has happened since the attempt began. */
interface Attempt {
  readonly begun: number;
  started?: StartedPostmaster;
  emptySince?: number;
}

const POLL_MS = 25;
const ABSENCE_TIMEOUT_MS = 30_000;
/** The longest wait for progress in milliseconds: recovery after a crash may take long. */
const CHANGE_TIMEOUT_MS = 300_000;
/** Another process was first, or has already stopped ours, or the former postmaster's children still end: try again. */
const RACE =
  /lock file .* already exists|pre-existing shared memory block|received (?:fast|smart|immediate) shutdown request/;
/** Another process has made the lock file and not yet written it, or died in between. */
const EMPTY_LOCK = /lock file .* is empty/;
const EMPTY_LOCK_TIMEOUT_MS = 1_000;

/**
 * Joins the cluster's running postmaster, or starts one. Any number of processes may do this at once, and while another
 * one stops the postmaster: each tries again until it has joined.
 * @throws ServiceError 'data-folder.in-use' for a second server; 'database.unavailable' with PostgreSQL's own message,
 *   or after 30 s without progress; the reason of `request.signal`
 */
export async function enterCluster(request: EntryRequest): Promise<ClusterEntry> {
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
    const serving = await readPostmasterFile(cluster.folder);
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
  const { cluster } = request;
  if (request.joinsOnly) {
    throw unavailable(`the embedded database in ${cluster.dataFolder} is not running`);
  }
  if (await mayStart(cluster, serving, attempt)) {
    attempt.started = await start(request, serving);
  }
}

/**
 * @throws ServiceError 'database.unavailable' if a postmaster of ours has ended for a lasting reason, or this is the
 *   copy of a running cluster
 */
async function mayStart(
  cluster: Cluster,
  serving: PostmasterFile | undefined,
  attempt: Attempt,
): Promise<boolean> {
  const { started } = attempt;
  if (started?.hasExited() === false) {
    return false;
  }
  if (started !== undefined) {
    await assertRace(await started.complaint(), cluster, attempt);
  }
  const whose = serving === undefined ? 'unrelated' : await whoseProcess(serving.pid, cluster);
  if (serving !== undefined && whose === 'original') {
    // A copy made while PostgreSQL wrote is rarely complete, and no check detects it: the operator must decide.
    throw unavailable(
      `the data folder ${cluster.dataFolder} is a copy, made while its database was running, and that one runs still (process ${serving.pid} in its own folder). Stop its server and copy the folder again; or, to have PostgreSQL recover what was copied, remove ${join(cluster.path, 'postmaster.pid')}`,
    );
  }
  return whose === 'unrelated';
}

/** @throws ServiceError with PostgreSQL's own message if it ended for another reason than a race of starts */
async function assertRace(complaint: string, cluster: Cluster, attempt: Attempt): Promise<void> {
  if (RACE.test(complaint)) {
    return;
  }
  if (EMPTY_LOCK.test(complaint)) {
    const file = await lstat(join(cluster.folder, 'postmaster.pid')).catch(() => undefined);
    attempt.emptySince ??= performance.now();
    if (file?.size !== 0 || performance.now() - attempt.emptySince < EMPTY_LOCK_TIMEOUT_MS) {
      return;
    }
  }
  const reason = complaint.split('\n').at(-1) ?? '';
  throw unavailable(
    `the embedded database does not start: ${reason === '' ? `${join(cluster.path, LOG_FILE)} does not say why, or cannot be written` : reason}`,
    complaint,
  );
}

async function start(
  { cluster, durable, log, findPrograms }: EntryRequest,
  stale: PostmasterFile | undefined,
): Promise<StartedPostmaster> {
  if (stale !== undefined) {
    log.warn(
      'The embedded database was not stopped in order, or was copied while it ran; PostgreSQL recovers what is there',
      { dataFolder: cluster.dataFolder },
    );
  }
  return startPostmaster(await findPrograms(), cluster, { durable, stranger: stale?.pid });
}

function assertWithinTimeout(
  outcome: JoinRefusal,
  { begun }: Attempt,
  cluster: Cluster,
  serving: PostmasterFile | undefined,
): void {
  const waited = performance.now() - begun;
  if (waited > (outcome === 'changing' ? CHANGE_TIMEOUT_MS : ABSENCE_TIMEOUT_MS)) {
    const culprit = serving === undefined ? '' : `; process ${serving.pid} serves it, but cannot be reached`;
    throw unavailable(`the embedded database in ${cluster.dataFolder} does not answer${culprit}`);
  }
}

function unavailable(message: string, detail?: string): ServiceError {
  return new ServiceError('database.unavailable', message, detail === undefined ? {} : { detail });
}
