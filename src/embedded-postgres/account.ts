import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { ServiceError } from '../kernel/errors.ts';

/** An operating system account, for `spawn` to run a program as it. */
export interface SystemAccount {
  readonly uid: number;
  readonly gid: number;
}

/** The places of the system's accounts and of the programs that create them. */
export interface AccountPlaces {
  /** Lines as in passwd(5). */
  readonly passwd: string;
  /** Folders as in PATH. */
  readonly programs: string;
}

/** The account's name; on macOS names of system accounts begin with an underscore. */
const SERVICE_ACCOUNTS = ['tankeeper', '_tankeeper'];
const SYSTEM: AccountPlaces = { passwd: '/etc/passwd', programs: '/usr/sbin:/usr/bin:/sbin:/bin' };
/** Another process may be creating the account; useradd then finds its files locked. */
const ATTEMPTS = 15;
const PAUSE_MS = 200;
const NO_PROGRAM = 'there is no useradd';

const run = promisify(execFile);

/**
 * Finds the account of a new cluster. PostgreSQL refuses to run as root, so root gives it to a system account of its
 * own, which is created if it is missing. An account such as `postgres` or `nobody` is not used: its other processes
 * could read the database.
 * @returns undefined for an ordinary user, as whom PostgreSQL can run
 * @throws ServiceError 'database.unavailable' if the account is missing and cannot be created
 */
export async function accountForNewCluster(
  places: AccountPlaces = SYSTEM,
): Promise<SystemAccount | undefined> {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  let complaint: string | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const found = await findAccount(places);
    if (found !== undefined) {
      return found;
    }
    complaint = await createAccount(places);
    if (complaint === NO_PROGRAM) {
      break;
    }
    await sleep(complaint === undefined ? 0 : PAUSE_MS);
  }
  throw new ServiceError(
    'database.unavailable',
    `PostgreSQL must not run as root, and its account tankeeper is missing and cannot be created (${complaint ?? 'it does not appear'}): create a system account of that name, run tankeeper as an ordinary user, or set DATABASE_URL`,
  );
}

/**
 * @returns true if a process of that account may reach `path`: it needs the x bit of each folder on the way and of
 *   `path`
 */
export async function mayReachFolder(account: SystemAccount, path: string): Promise<boolean> {
  const status = await stat(path);
  if (!maySearch(account, status)) {
    return false;
  }
  const parent = dirname(path);
  return parent === path || mayReachFolder(account, parent);
}

function maySearch(account: SystemAccount, folder: { uid: number; gid: number; mode: number }): boolean {
  if (folder.uid === account.uid) {
    return (folder.mode & 0o100) !== 0;
  }
  return (folder.mode & (folder.gid === account.gid ? 0o010 : 0o001)) !== 0;
}

async function findAccount({ passwd }: AccountPlaces): Promise<SystemAccount | undefined> {
  const lines = (await readFile(passwd, 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
  for (const name of SERVICE_ACCOUNTS) {
    const [, , uid, gid] = lines.find(([candidate]) => candidate === name) ?? [];
    if (Number(uid) > 0 && gid !== undefined) {
      return { uid: Number(uid), gid: Number(gid) };
    }
  }
  return undefined;
}

/** @returns the reason for which useradd failed; undefined if it did not */
async function createAccount({ programs }: AccountPlaces): Promise<string | undefined> {
  const surroundings = { env: { PATH: programs, LC_ALL: 'C' } };
  // The group may exist; if it cannot be created, useradd reports it.
  await run('groupadd', ['--system', 'tankeeper'], surroundings).catch(() => undefined);
  try {
    await run(
      'useradd',
      [
        '--system',
        '--gid',
        'tankeeper',
        '--no-create-home',
        '--home-dir',
        '/nonexistent',
        '--shell',
        '/usr/sbin/nologin',
        'tankeeper',
      ],
      surroundings,
    );
    return undefined;
  } catch (error) {
    const { code, stderr } = error as { code?: string | number; stderr?: string };
    return code === 'ENOENT' ? NO_PROGRAM : (stderr ?? '').trim();
  }
}
