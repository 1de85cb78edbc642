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

/** What is needed to come into the cluster of a data folder. */
export interface EntryRequest {
  readonly dataFolder: string;
  /** Whether a cluster is made where there is none. */
  readonly create: boolean;
  readonly role: EmbeddedRole;
  readonly durable: boolean;
  /** Where PostgreSQL's programs are; undefined: where npm installed them. */
  readonly nativeFolder: string | undefined;
  readonly sharedFolder: string;
  readonly log: Log;
  /** Gives the attempt up. */
  readonly signal: AbortSignal;
}

/** A process's way in. */
export interface ClusterEntry {
  readonly location: ClusterLocation;
  readonly socketFolder: string;
  readonly membership: Membership;
  /** Whether this process started the postmaster that serves. */
  readonly startedHere: boolean;
}

const POLL_MS = 25;
const ABSENCE_LIMIT_MS = 30_000;
/** Recovery after a crash may have much to do. */
const CHANGE_LIMIT_MS = 300_000;
/** Another process was quicker, or has stopped ours already, or the last one's children are still ending: ask again. */
const RACE =
  /lock file .* already exists|pre-existing shared memory block|received (?:fast|smart|immediate) shutdown request/;

/**
 * Joins the postmaster that serves the cluster, or starts one; creates the cluster where there is none. Any number of
 * processes may do this at once, and while another one stops the postmaster: each looks again until it is in.
 * @throws ServiceError 'installation.missing'; 'database.unavailable' with PostgreSQL's own complaint, or when nothing
 *   happens for 30 s; the reason of `request.signal`
 */
export async function enterCluster(request: EntryRequest): Promise<ClusterEntry> {
  const location = await findOrCreate(request);
  const begun = performance.now();
  const attempt: { started?: StartedPostmaster } = {};
  try {
    return await enter(request, location, begun, attempt);
  } catch (error) {
    // What this process has started ends with the attempt: no other process has joined it through us.
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
    if (outcome === 'absent' && (await mayStart(location, serving, started))) {
      attempt.started = await start(location, request, serving);
    }
    assertPatience(outcome, begun, location, serving);
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
    ...{ dataFolder, sharedFolder, durable, log },
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
 * @throws ServiceError 'database.unavailable' when a postmaster of ours has ended for a reason that will not pass, or this is
 *   the copy of a cluster that runs
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
    if (!RACE.test(complaint)) {
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

function lastLine(text: string): string | undefined {
  const line = text.split('\n').at(-1);
  return line === '' ? undefined : line;
}

/** A copy that was made while PostgreSQL wrote is seldom whole, and nothing would tell: its operator has to decide. */
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
    ...{ socketFolder, durable: request.durable },
    ...{ access, stranger: stale?.pid },
  });
}

function assertPatience(
  outcome: JoinRefusal,
  begun: number,
  location: ClusterLocation,
  serving: PostmasterFile | undefined,
): void {
  const waited = performance.now() - begun;
  if (waited > (outcome === 'changing' ? CHANGE_LIMIT_MS : ABSENCE_LIMIT_MS)) {
    const culprit = serving === undefined ? '' : `; process ${serving.pid} serves it, but cannot be reached`;
    throw new ServiceError(
      'database.unavailable',
      `the embedded database in ${location.dataFolder} does not answer${culprit}`,
    );
  }
}
