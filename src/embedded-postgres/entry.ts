import { lstat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ServiceError } from '../kernel/errors.ts';
import { findPrograms, packagedBinaries, type PostgresPrograms } from './binaries.ts';
import { createCluster } from './creation.ts';
import type { ClusterLocation } from './location.ts';
import { locateCluster, noClusterIn } from './location.ts';
import type { EmbeddedRole, JoinRefusal, Membership } from './membership.ts';
import { joinCluster } from './membership.ts';
import { accessRules } from './access.ts';
import {
  isPostmasterOf,
  type PostmasterFile,
  readPostmasterFile,
  type StartedPostmaster,
  startPostmaster,
} from './postmaster.ts';
import { assertPrivate, prepareSocketFolder, socketFolderOf } from './socket.ts';
import type { Log } from '../kernel/log.ts';

/** The parameters of entering the cluster of a data folder. */
export interface EntryRequest {
  readonly dataFolder: string;
  /** Creates a missing cluster. */
  readonly create: boolean;
  /** Joins a running one only. */
  readonly joinsOnly?: boolean | undefined;
  readonly role: EmbeddedRole;
  readonly durable: boolean;
  /** The folder of PostgreSQL's programs; undefined: the installed package. */
  readonly nativeFolder: string | undefined;
  readonly sharedFolder: string;
  readonly log: Log;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
}

/** A process's membership, and its way to it. */
export interface ClusterEntry {
  readonly location: ClusterLocation;
  readonly socketFolder: string;
  readonly membership: Membership;
  /** This process started the running postmaster. */
  readonly startedHere: boolean;
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
 * Joins the cluster's running postmaster, or starts one; creates a missing cluster. Any number of processes may do this
 * at once, and while another one stops the postmaster: each tries again until it has joined.
 * @throws ServiceError 'installation.missing'; 'database.unavailable' with PostgreSQL's own message, or after 30 s
 *   without progress; the reason of `request.signal`
 */
export async function enterCluster(request: EntryRequest): Promise<ClusterEntry> {
  const location = await findOrCreate(request);
  const begun = performance.now();
  const attempt: { started?: StartedPostmaster } = {};
  try {
    return await enter(request, location, begun, attempt);
  } catch (error) {
    // A postmaster that this process started ends with the attempt: no other process has joined it.
    if (attempt.started?.hasExited() === false) {
      await attempt.started.stop();
    }
    throw error;
  }
}

async function enter(
  request: EntryRequest,
  location: ClusterLocation,
  begun: number,
  attempt: { started?: StartedPostmaster },
): Promise<ClusterEntry> {
  for (;;) {
    request.signal.throwIfAborted();
    const { started } = attempt;
    const serving = await readPostmasterFile(location.cluster);
    const socketFolder = await socketFolderOf(location, serving);
    const outcome = await tryJoin(serving, socketFolder, location, request.role);
    if (typeof outcome !== 'string') {
      return { location, socketFolder, membership: outcome, startedHere: started?.pid === serving?.pid };
    }
    if (outcome === 'absent' && request.joinsOnly === true) {
      throw new ServiceError(
        'database.unavailable',
        `the embedded database in ${request.dataFolder} is not running`,
      );
    }
    if (outcome === 'absent' && (await mayStart(location, serving, started))) {
      attempt.started = await start(location, request, serving);
    }
    assertWithinTimeout(outcome, begun, location, serving);
    await sleep(POLL_MS);
  }
}

async function findOrCreate(request: EntryRequest): Promise<ClusterLocation> {
  const { dataFolder, sharedFolder, durable, log } = request;
  const present = await locateCluster(dataFolder);
  if (present !== undefined) {
    return present;
  }
  if (!request.create) {
    throw noClusterIn(dataFolder);
  }
  await createCluster({
    dataFolder,
    sharedFolder,
    durable,
    log,
    findPrograms: (account) => programsFor({ account, accountOwnsFolder: false }, request),
  });
  const created = await locateCluster(dataFolder);
  if (created === undefined) {
    throw new ServiceError('database.unavailable', `the new embedded database in ${dataFolder} has vanished`);
  }
  return created;
}

function programsFor(
  { account, accountOwnsFolder }: Pick<ClusterLocation, 'account' | 'accountOwnsFolder'>,
  request: EntryRequest,
): Promise<PostgresPrograms> {
  return findPrograms({
    account,
    nativeFolder: request.nativeFolder ?? packagedBinaries(),
    linkFolder: accountOwnsFolder ? undefined : join(request.dataFolder, 'postgres.lib'),
    sharedFolder: request.sharedFolder,
  });
}

async function tryJoin(
  serving: PostmasterFile | undefined,
  socketFolder: string,
  location: ClusterLocation,
  role: EmbeddedRole,
): Promise<Membership | JoinRefusal> {
  if (serving?.socketFolder === undefined) {
    return 'absent';
  }
  try {
    await assertPrivate(socketFolder, location);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return 'absent';
    }
    throw error;
  }
  return joinCluster(socketFolder, role, location.cluster);
}

/**
 * @throws ServiceError 'database.unavailable' if a postmaster of ours has ended for a lasting reason, or this is the
 *   copy of a running cluster
 */
async function mayStart(
  location: ClusterLocation,
  serving: PostmasterFile | undefined,
  started: StartedPostmaster | undefined,
): Promise<boolean> {
  if (started !== undefined) {
    if (!started.hasExited()) {
      return false;
    }
    const complaint = await started.complaint();
    const isRace = RACE.test(complaint) || (EMPTY_LOCK.test(complaint) && !(await staysEmpty(location)));
    if (!isRace) {
      throw new ServiceError(
        'database.unavailable',
        `the embedded database does not start: ${lastLine(complaint) ?? `${join(location.dataFolder, 'postgres.log')} does not say why, or cannot be written`}`,
        { detail: complaint },
      );
    }
  }
  if (serving === undefined) {
    return true;
  }
  if (await isPostmasterOf(serving.pid, location.cluster)) {
    return false;
  }
  await assertNoRunningOriginal(serving, location);
  return true;
}

/** @returns true if postmaster.pid stays empty for a second: nobody is about to write it */
async function staysEmpty({ cluster }: ClusterLocation): Promise<boolean> {
  const file = join(cluster, 'postmaster.pid');
  const deadline = performance.now() + EMPTY_LOCK_TIMEOUT_MS;
  const isEmpty = (): Promise<boolean> =>
    lstat(file).then(
      ({ size }) => size === 0,
      () => false,
    );
  while (await isEmpty()) {
    if (performance.now() > deadline) {
      return true;
    }
    await sleep(POLL_MS);
  }
  return false;
}

function lastLine(text: string): string | undefined {
  const line = text.split('\n').at(-1);
  return line === '' ? undefined : line;
}

/** A copy made while PostgreSQL wrote is rarely complete, and no check detects it: the operator must decide. */
async function assertNoRunningOriginal(serving: PostmasterFile, location: ClusterLocation): Promise<void> {
  const isCopy = serving.cluster !== location.cluster && isAbsolute(serving.cluster);
  const original = isCopy ? await readPostmasterFile(serving.cluster) : undefined;
  if (original?.pid === serving.pid && (await isPostmasterOf(serving.pid, serving.cluster))) {
    throw new ServiceError(
      'database.unavailable',
      `the data folder ${location.dataFolder} is a copy, made while its database was running, and that one runs still (process ${serving.pid} in ${serving.cluster}). Stop its server and copy the folder again; or, to have PostgreSQL recover what was copied, remove ${join(location.cluster, 'postmaster.pid')}`,
    );
  }
}

async function start(
  location: ClusterLocation,
  request: EntryRequest,
  stale: PostmasterFile | undefined,
): Promise<StartedPostmaster> {
  if (stale !== undefined && stale.cluster !== location.cluster) {
    request.log.warn(
      'The data folder was copied or moved while its database was running; PostgreSQL recovers what is there',
      { dataFolder: location.dataFolder },
    );
  }
  const programs = await programsFor(location, request);
  const socketFolder = await prepareSocketFolder(location);
  const access = await accessRules(location);
  return startPostmaster(programs, location, {
    socketFolder,
    durable: request.durable,
    access,
    stranger: stale?.pid,
  });
}

function assertWithinTimeout(
  outcome: JoinRefusal,
  begun: number,
  location: ClusterLocation,
  serving: PostmasterFile | undefined,
): void {
  const waited = performance.now() - begun;
  if (waited > (outcome === 'changing' ? CHANGE_TIMEOUT_MS : ABSENCE_TIMEOUT_MS)) {
    const culprit = serving === undefined ? '' : `; process ${serving.pid} serves it, but cannot be reached`;
    throw new ServiceError(
      'database.unavailable',
      `the embedded database in ${location.dataFolder} does not answer${culprit}`,
    );
  }
}
