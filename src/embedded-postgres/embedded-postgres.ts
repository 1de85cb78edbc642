import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ServiceError } from '../kernel/errors.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import type { SystemAccount } from './program.ts';
import { type Cluster, findCluster, noClusterIn, openDataFolder } from './cluster.ts';
import { createCluster } from './creation.ts';
import { type ClusterEntry, enterCluster, type EntryRequest } from './entry.ts';
import { embeddedConnection, type EmbeddedConnection, type EmbeddedRole } from './membership.ts';
import { hasEnded, readPostmasterFile } from './postmaster.ts';
import { findPrograms } from './programs.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'data-folder.in-use': NoPayload;
    'installation.missing': NoPayload;
  }
}

/*
 * A private PostgreSQL for an installation without DATABASE_URL, opened by `openEmbeddedPostgres`. Other folders import
 * nothing else, except `removeEmbeddedPostgres` for the demo. Opening takes these steps: find the cluster in the data
 * folder (cluster) or create it (creation), as an account of its own if this process is root (account); join the
 * running postmaster, or start one (entry, postmaster, programs). Members hold advisory locks; the last one to leave
 * stops the postmaster (membership). See docs/adr/0002-embedded-postgresql.md.
 */

export { removeEmbeddedPostgres } from './creation.ts';

/** The options for opening the embedded PostgreSQL of a data folder. */
export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** 'server' for the one server of a data folder, 'command' for everything else. */
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
  /** The place of the programs' copy, if PostgreSQL's account does not reach the package. */
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
  const { role, durable = true, log, giveUp } = options;
  const dataFolder = await openDataFolder(options.dataDir, options.create ?? true);
  const programsFor = (account: SystemAccount | undefined) =>
    findPrograms({
      account,
      nativeFolder: options.nativeFolder,
      linkFolder: join(dataFolder, 'postgres.lib'),
      sharedFolder: options.sharedFolder ?? SHARED_FOLDER,
    });
  const found = await findCluster(dataFolder);
  if (found === undefined && options.create === false) {
    throw noClusterIn(dataFolder);
  }
  const cluster = found ?? (await createCluster({ dataFolder, durable, findPrograms: programsFor }));
  const closing = new AbortController();
  const request: EntryRequest = {
    cluster,
    joinsOnly: options.joinsOnly ?? false,
    role,
    durable,
    findPrograms: () => programsFor(cluster.account),
    log,
    signal: closing.signal,
  };
  const first = await enter({ ...request, signal: giveUp ?? closing.signal }).catch((error: unknown) => {
    cluster.close();
    throw error;
  });
  const presence = keepPresent(request, first);
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closing.abort();
    await leave(await presence, cluster, log);
    cluster.close();
  };
  return {
    connection: embeddedConnection(cluster),
    startedHere: first.startedHere,
    close: () => (closed ??= close()),
  };
}

async function enter(request: EntryRequest): Promise<ClusterEntry> {
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
      entry = await enter(request);
      log.info('The embedded database is back', { startedHere: entry.startedHere });
    } catch (error) {
      log.error('The embedded database does not come back', { ...describeFault(error) });
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function leave({ membership }: ClusterEntry, cluster: Cluster, log: Log): Promise<void> {
  try {
    const serving = await readPostmasterFile(cluster.folder);
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
