import { setTimeout as sleep } from 'node:timers/promises';

import { ServiceError } from '../kernel/errors.ts';
import { describeFault } from '../kernel/fault.ts';
import type { ClusterEntry, EntryRequest } from './entry.ts';
import { enterCluster } from './entry.ts';
import { openDataFolder } from './location.ts';
import type { EmbeddedConnection, EmbeddedRole } from './membership.ts';
import { embeddedConnection } from './membership.ts';
import { stopPostmaster } from './postmaster.ts';
import type { Log } from '../kernel/log.ts';

/*
 * A private PostgreSQL for an installation without DATABASE_URL, opened by `openEmbeddedPostgres`. Other folders import
 * nothing else, except `removeEmbeddedPostgres` for the demo. Opening takes these steps: find or make the data folder
 * and the cluster (location, home, creation), as an account of its own if this process is root (account); find programs
 * that start there (binaries, program); join the running postmaster, or start one (entry, postmaster, socket, access).
 * Members hold advisory locks; the last one to leave stops the postmaster (membership). Files that another account may
 * have made are read with care (untrusted-files). See docs/adr/0002-embedded-postgresql.md.
 */

export { removeClusterOf as removeEmbeddedPostgres } from './creation.ts';

/** The options for opening the embedded PostgreSQL of a data folder. */
export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** 'server' for the one server of a data folder, 'guest' for everything else. */
  readonly role: EmbeddedRole;
  /** Creates a missing one; true by default. */
  readonly create?: boolean;
  /** Joins a running one only; by default one that does not run is started. */
  readonly joinsOnly?: boolean | undefined;
  /** Aborts the opening. */
  readonly giveUp?: AbortSignal | undefined;
  /** Commits survive a power cut; false only for tests. */
  readonly durable?: boolean;
  /** The folder of PostgreSQL's `bin`, `lib` and `share`; default: the installed package. */
  readonly nativeFolder?: string;
  /** The place of root's files that PostgreSQL's unprivileged account must reach. */
  readonly sharedFolder?: string;
}

/** An open embedded PostgreSQL. */
export interface EmbeddedPostgres {
  readonly connection: EmbeddedConnection;
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
  const closing = new AbortController();
  const create = options.create ?? true;
  const request: EntryRequest = {
    dataFolder: await openDataFolder(options.dataDir, create),
    create,
    joinsOnly: options.joinsOnly,
    role: options.role,
    durable: options.durable ?? true,
    nativeFolder: options.nativeFolder,
    sharedFolder: options.sharedFolder ?? SHARED_FOLDER,
    log: options.log,
    signal: closing.signal,
  };
  const first = await enter({ ...request, signal: options.giveUp ?? closing.signal });
  const presence = keepPresent(request, first);
  return {
    connection: embeddedConnection(first.socketFolder),
    startedHere: first.startedHere,
    close: async () => {
      closing.abort();
      await leave(await presence, request.log);
    },
  };
}

async function enter(request: EntryRequest): Promise<ClusterEntry> {
  const entry = await enterCluster(request);
  const server = request.role === 'server' ? await entry.membership.becomeServer() : undefined;
  if (server !== undefined) {
    await leave(entry, request.log);
    throw new ServiceError(
      'data-folder.in-use',
      `the data folder ${request.dataFolder} is in use by another tankeeper server (process ${server})`,
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
      entry = await enter(request);
      log.info('The embedded database is back', { startedHere: entry.startedHere });
    } catch (error) {
      log.error('The embedded database does not come back', { ...describeFault(error) });
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function leave({ membership, location }: ClusterEntry, log: Log): Promise<void> {
  try {
    if ((await membership.leave()) && !(await stopPostmaster(location))) {
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
