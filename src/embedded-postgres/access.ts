import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';

import { ServiceError } from '../kernel/errors.ts';
import { CLUSTER_ROLE } from './creation.ts';
import type { ClusterLocation } from './location.ts';
import { runProgram } from './program.ts';

/** The accounts that may connect to the cluster, for its two files, from the next start. */
export interface AccessRules {
  /** The lines of pg_hba.conf. */
  readonly connections: string;
  /** The lines of pg_ident.conf. */
  readonly accounts: string;
}

const MAP = 'tankeeper';
const NOTE = '# Written by tankeeper at each start of this PostgreSQL.';

/**
 * Peer authentication: the kernel reports the connecting account to PostgreSQL. Admitted are root, the account of this
 * process, and the cluster's account if it owns the whole data folder and so may run tankeeper there. There is no
 * secret to lose, and no other connection, none for replication either.
 * @throws ServiceError 'database.unavailable' if such an account has no name, by which alone PostgreSQL knows it
 */
export async function accessRules(location: ClusterLocation): Promise<AccessRules> {
  const { account, accountOwnsFolder } = location;
  const names = await Promise.all([
    nameOf(0),
    nameOf(process.getuid?.() ?? 0),
    ...(account !== undefined && accountOwnsFolder ? [nameOf(account.uid, account)] : []),
  ]);
  const lines = [...new Set(names)].map((name) => `${MAP} "${name.replaceAll('"', '""')}" ${CLUSTER_ROLE}\n`);
  return {
    connections: `${NOTE}\nlocal all ${CLUSTER_ROLE} peer map=${MAP}\n`,
    accounts: `${NOTE}\n${lines.join('')}`,
  };
}

async function nameOf(uid: number, account?: ClusterLocation['account']): Promise<string> {
  const name =
    uid === process.getuid?.()
      ? ownName()
      : ((await listedName(uid)) ?? (account === undefined ? 'root' : await accountName(account)));
  if (name === undefined) {
    throw new ServiceError(
      'database.unavailable',
      `the embedded database cannot tell who connects: the user with the number ${uid} has no name on this machine (no line in /etc/passwd). Run tankeeper as a user that has one, or set DATABASE_URL`,
    );
  }
  return name;
}

function ownName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/** Finds the first of several names, as the system does. */
async function listedName(uid: number): Promise<string | undefined> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  return lines.map((line) => line.split(':')).find(([, , number]) => number === String(uid))?.[0];
}

/** Asks the system: names may come from a directory. */
async function accountName(account: NonNullable<ClusterLocation['account']>): Promise<string | undefined> {
  const { status, output } = await runProgram('/usr/bin/id', ['-un'], { account, libraryPath: undefined });
  return status === 0 ? output : undefined;
}
