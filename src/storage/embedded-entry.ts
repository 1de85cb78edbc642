import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ServiceError } from '../kernel/errors.ts';
import type { Account } from './embedded-account.ts';
import type { PostgresPrograms } from './embedded-binaries.ts';
import { findPrograms, packagedBinaries } from './embedded-binaries.ts';
import { createCluster } from './embedded-creation.ts';
import type { ClusterLocation } from './embedded-location.ts';
import { locateCluster, noClusterIn } from './embedded-location.ts';
import type { EmbeddedRole, JoinRefusal, Membership } from './embedded-membership.ts';
import { joinCluster } from './embedded-membership.ts';
import type { PostmasterFile, StartedPostmaster } from './embedded-postmaster.ts';
import {
  isPostmasterOf,
  readPostmasterFile,
  removeStaleFiles,
  startPostmaster,
} from './embedded-postmaster.ts';
import { assertPrivate, prepareSocketFolder } from './embedded-socket.ts';
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
export interface Entry {
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
export async function enterCluster(request: EntryRequest): Promise<Entry> {
  const location = await findOrCreate(request);
  const begun = performance.now();
  let started: StartedPostmaster | undefined;
  for (;;) {
    await giveUpIfAborted(request.signal, started);
    const serving = await readPostmasterFile(location.cluster);
    const outcome = await tryJoin(serving, location, request.role);
    if (typeof outcome !== 'string') {
      const socketFolder = serving?.socketFolder ?? '';
      return { location, socketFolder, membership: outcome, startedHere: started?.pid === serving?.pid };
    }
    if (outcome === 'absent' && (await mayStart(location, serving, started))) {
      started = await start(location, request);
    }
    assertPatience(outcome, begun, location, serving);
    await sleep(POLL_MS);
  }
}

/** What this process has started ends with the attempt: nobody has joined it yet. */
async function giveUpIfAborted(signal: AbortSignal, started: StartedPostmaster | undefined): Promise<void> {
  if (signal.aborted) {
    await started?.stop();
    signal.throwIfAborted();
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
    findPrograms: (account) => programsFor(account, request),
  });
  const created = await locateCluster(dataFolder);
  if (created === undefined) {
    throw new ServiceError('database.unavailable', `the new embedded database in ${dataFolder} has vanished`);
  }
  return created;
}

function programsFor(account: Account | undefined, request: EntryRequest): Promise<PostgresPrograms> {
  return findPrograms({
    account,
    nativeFolder: request.nativeFolder ?? packagedBinaries(),
    linkFolder: join(request.dataFolder, 'postgres.lib'),
    sharedFolder: request.sharedFolder,
  });
}

async function tryJoin(
  serving: PostmasterFile | undefined,
  location: ClusterLocation,
  role: EmbeddedRole,
): Promise<Membership | JoinRefusal> {
  if (serving?.socketFolder === undefined) {
    return 'absent';
  }
  try {
    await assertPrivate(serving.socketFolder, location);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return 'absent';
    }
    throw error;
  }
  return joinCluster(serving.socketFolder, role);
}

/** @throws ServiceError 'database.unavailable' when a postmaster of ours has ended for a reason that will not pass */
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
        `the embedded database does not start: ${complaint.split('\n').at(-1) ?? ''}`,
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
  await removeStaleFiles(location.cluster, serving);
  return true;
}

async function start(location: ClusterLocation, request: EntryRequest): Promise<StartedPostmaster> {
  const programs = await programsFor(location.account, request);
  const socketFolder = await prepareSocketFolder(location);
  return startPostmaster(programs, location, { socketFolder, durable: request.durable });
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
