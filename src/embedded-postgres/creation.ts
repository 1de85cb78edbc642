import { chown, lstat, mkdtemp, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

import { ServiceError } from '../kernel/errors.ts';
import { accountForNewCluster } from './account.ts';
import { assertOwner, type Cluster, clusterPath, findCluster, ownPath } from './cluster.ts';
import { runProgram, runScript, type SystemAccount } from './program.ts';
import type { PostgresPrograms } from './programs.ts';

/** The parameters of a cluster's creation. */
export interface CreationRequest {
  readonly dataFolder: string;
  /** The files must survive a power cut. */
  readonly durable: boolean;
  readonly findPrograms: (account: SystemAccount | undefined) => Promise<PostgresPrograms>;
}

/** The name of the one role, a superuser of this private cluster. */
export const CLUSTER_ROLE = 'tankeeper';
const UNFINISHED = 'postgres.new-';
const UNFINISHED_FOR_MS = 3_600_000;
/** The access rules are replaced at each start; the order of text is the same on every machine. */
const INITDB =
  `--username ${CLUSTER_ROLE} --no-instructions --auth-local peer --auth-host reject ` +
  '--encoding UTF8 --locale C --locale-provider builtin --builtin-locale C.UTF-8';

/**
 * Creates the cluster of a data folder. It appears complete or not at all: initdb works beside it, and one rename
 * publishes it. Of several processes that do this at once one wins, and the others remove their own.
 * @throws ServiceError 'database.unavailable' if initdb fails, or root would work in another user's folder
 */
export async function createCluster(request: CreationRequest): Promise<Cluster> {
  const { dataFolder } = request;
  const account = await accountForNewCluster();
  if (account !== undefined) {
    await assertOwner(dataFolder, [0]);
  }
  const programs = await request.findPrograms(account);
  await removeUnfinished(dataFolder);
  const aside = await mkdtemp(join(dataFolder, UNFINISHED));
  try {
    if (account !== undefined) {
      await chown(aside, account.uid, account.gid);
    }
    await initialise(aside, request, programs);
    await rename(aside, clusterPath(dataFolder));
    await syncFolder(dataFolder);
  } catch (error) {
    await removeFolder(aside);
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      throw error;
    }
  }
  const created = await findCluster(dataFolder);
  if (created === undefined) {
    throw new ServiceError('database.unavailable', `the new embedded database in ${dataFolder} has vanished`);
  }
  return created;
}

async function initialise(
  path: string,
  { durable }: CreationRequest,
  { initdb, context }: PostgresPrograms,
): Promise<void> {
  const parameters = ['--pgdata', ownPath(path), ...INITDB.split(' '), ...(durable ? [] : ['--no-sync'])];
  const { status, output } = await runProgram(initdb, parameters, { ...context, folder: path });
  if (status !== 0) {
    throw new ServiceError(
      'database.unavailable',
      `the embedded database could not be created: ${output.split('\n').at(-1) ?? ''}`,
      { detail: output },
    );
  }
}

/** Removes the files of a killed process. */
async function removeUnfinished(dataFolder: string): Promise<void> {
  for (const name of await readdir(dataFolder)) {
    if (name.startsWith(UNFINISHED)) {
      const path = join(dataFolder, name);
      const status = await lstat(path).catch(() => undefined);
      if (status !== undefined && Date.now() - status.mtimeMs > UNFINISHED_FOR_MS) {
        await removeFolder(path);
      }
    }
  }
}

/** Removes the cluster of a data folder that is itself about to be removed. It must be stopped. */
export async function removeEmbeddedPostgres(dataDir: string): Promise<void> {
  await removeFolder(clusterPath(dataDir));
}

/**
 * Removes a folder in a data folder of this user. Root removes files that the account may change as that account, which
 * could otherwise place a link in root's way.
 */
async function removeFolder(path: string): Promise<void> {
  const status = await lstat(path).catch(() => undefined);
  if (process.getuid?.() === 0 && status?.isDirectory() === true && status.uid !== 0) {
    const account = { uid: status.uid, gid: status.gid };
    await runScript('rm -rf -- ./* ./.[!.]*', [], { account, folder: path });
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
