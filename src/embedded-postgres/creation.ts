import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, mkdtemp, open, readdir, realpath, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

import { ServiceError } from '../kernel/errors.ts';
import type { SystemAccount } from './account.ts';
import { accountForNewCluster, mayReachFolder } from './account.ts';
import { type PostgresPrograms, prepareSharedFolder } from './binaries.ts';
import type { ClusterLocation } from './location.ts';
import { makeHome, removeHome } from './home.ts';
import { assertMayCreate, clusterAt, locateCluster, postSign } from './location.ts';
import type { Log } from '../kernel/log.ts';
import { runProgram, runScript } from './program.ts';

/** The parameters of a cluster's creation. */
export interface CreationRequest {
  readonly dataFolder: string;
  /** The place of root's files that an unprivileged account must reach. */
  readonly sharedFolder: string;
  /** The files must survive a power cut. */
  readonly durable: boolean;
  readonly log: Log;
  readonly findPrograms: (account: SystemAccount | undefined) => Promise<PostgresPrograms>;
}

/** The name of the one role, a superuser of this private cluster. */
export const CLUSTER_ROLE = 'tankeeper';
const UNFINISHED = 'postgres.new-';
const UNFINISHED_FOR_MS = 3_600_000;

/**
 * Creates the cluster of a data folder. It appears complete or not at all: initdb works beside it, and one rename (or,
 * if the cluster must be elsewhere, the signpost) publishes it. Of several processes that do this at once one wins, and
 * the others remove their own.
 * @throws ServiceError 'database.unavailable' if initdb fails, or root would work in another user's folder
 */
export async function createCluster(request: CreationRequest): Promise<void> {
  await assertMayCreate(request.dataFolder);
  const account = await accountForNewCluster();
  const programs = await request.findPrograms(account);
  const inside = account === undefined || (await mayReachFolder(account, request.dataFolder));
  await (inside ? createInside(request, programs) : createApart(request, programs));
}

async function createInside(request: CreationRequest, programs: PostgresPrograms): Promise<void> {
  const { dataFolder } = request;
  await removeUnfinished(dataFolder);
  const aside = await mkdtemp(join(dataFolder, UNFINISHED));
  try {
    await initialise(aside, request, programs);
    await rename(aside, clusterAt(dataFolder, dataFolder, undefined).cluster);
    await syncFolder(dataFolder);
  } catch (error) {
    await removeCluster(aside);
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      throw error;
    }
  }
}

async function createApart(request: CreationRequest, programs: PostgresPrograms): Promise<void> {
  const { dataFolder, sharedFolder, log } = request;
  await prepareSharedFolder(sharedFolder);
  const { account } = programs.context;
  if (account !== undefined && !(await mayReachFolder(account, sharedFolder))) {
    throw new ServiceError(
      'database.unavailable',
      `the account that PostgreSQL runs as (uid ${account.uid}) can reach neither ${dataFolder} nor ${sharedFolder}; set DATA_DIR to a folder that it can reach, or set DATABASE_URL`,
    );
  }
  const namePrefix = `${createHash('sha256').update(dataFolder).digest('hex').slice(0, 16)}-`;
  const abandoned = (await readdir(sharedFolder)).filter((name) => name.startsWith(namePrefix));
  const home = await makeHome(join(sharedFolder, namePrefix), dataFolder);
  const location: ClusterLocation = clusterAt(dataFolder, home, account);
  try {
    await mkdir(location.cluster, { mode: 0o700 });
    await initialise(location.cluster, request, programs);
    await syncFolder(home);
    if (!(await postSign(dataFolder, home))) {
      await removeApart(location);
      return;
    }
  } catch (error) {
    await removeApart(location);
    throw error;
  }
  log.info(
    'The embedded database lives apart: PostgreSQL, which must not run as root, cannot reach the data folder',
    {
      dataFolder,
      home,
    },
  );
  if (abandoned.length > 0) {
    log.warn(
      'Databases of earlier data folders of this path are still there; remove what is no longer wanted',
      {
        home: abandoned.map((name) => join(sharedFolder, name)).join(', '),
      },
    );
  }
}

async function initialise(
  folder: string,
  request: CreationRequest,
  programs: PostgresPrograms,
): Promise<void> {
  await giveTo(folder, programs.context.account);
  const { status, output } = await runProgram(
    programs.initdb,
    [
      '--pgdata',
      folder,
      '--username',
      CLUSTER_ROLE,
      '--no-instructions',
      // Replaced at each start, by narrower rules.
      '--auth-local',
      'peer',
      '--auth-host',
      'reject',
      // Built into PostgreSQL: the same order on every machine, whatever locales it has.
      '--encoding',
      'UTF8',
      '--locale',
      'C',
      '--locale-provider',
      'builtin',
      '--builtin-locale',
      'C.UTF-8',
      ...(request.durable ? [] : ['--no-sync']),
    ],
    programs.context,
  );
  if (status !== 0) {
    throw new ServiceError(
      'database.unavailable',
      `the embedded database could not be created: ${output.split('\n').at(-1) ?? ''}`,
      { detail: output },
    );
  }
}

async function giveTo(folder: string, account: SystemAccount | undefined): Promise<void> {
  if (account !== undefined) {
    await chown(folder, account.uid, account.gid);
  }
}

/** Removes the files of a killed process. */
async function removeUnfinished(dataFolder: string): Promise<void> {
  for (const name of await readdir(dataFolder)) {
    if (name.startsWith(UNFINISHED)) {
      const path = join(dataFolder, name);
      const status = await lstat(path).catch(() => undefined);
      if (status !== undefined && Date.now() - status.mtimeMs > UNFINISHED_FOR_MS) {
        await removeCluster(path);
      }
    }
  }
}

/** Removes the cluster of a data folder that is itself about to be removed. It must be stopped. */
export async function removeClusterOf(dataDir: string): Promise<void> {
  const dataFolder = await realpath(dataDir);
  const location = await locateCluster(dataFolder);
  if (location !== undefined) {
    await (location.home === dataFolder ? removeCluster(location.cluster) : removeApart(location));
  }
}

async function removeApart({ home, cluster }: ClusterLocation): Promise<void> {
  await removeCluster(cluster);
  await removeCluster(join(home, 'postgres.socket'));
  await removeHome(home);
}

/** Removes files that the account may change as that account, which could otherwise place a link in root's way. */
async function removeCluster(path: string): Promise<void> {
  const status = await lstat(path).catch(() => undefined);
  if (status === undefined) {
    return;
  }
  if (process.getuid?.() === 0 && status.uid !== 0) {
    await runScript('rm -rf -- "$1"/* "$1"/.[!.]*', [path], status);
    await rmdir(path).catch(() => undefined);
  } else {
    await rm(path, { recursive: true, force: true });
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
