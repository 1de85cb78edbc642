import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** An operating system account: what `spawn` needs in order to run a program as somebody else. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

const SERVICE_ACCOUNTS = ['postgres', '_postgres'];

/**
 * The account that a new cluster belongs to. PostgreSQL refuses to run as root, so root hands it to the system account
 * of PostgreSQL, which is created where it is missing; where that is impossible (no useradd, a read-only /etc) `nobody`
 * has to do.
 * @returns undefined for an ordinary user, who runs PostgreSQL as oneself
 */
export async function accountForNewCluster(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  const found = await findAccount(SERVICE_ACCOUNTS);
  if (found !== undefined) {
    return found;
  }
  await createServiceAccount();
  return (await findAccount([...SERVICE_ACCOUNTS, 'nobody'])) ?? { uid: 65534, gid: 65534 };
}

/** @returns whether a process of that account may reach `path`: it needs the x bit of each folder on the way, itself included */
export async function mayReachFolder(account: Account, path: string): Promise<boolean> {
  const status = await stat(path);
  if (!maySearch(account, status)) {
    return false;
  }
  const parent = dirname(path);
  return parent === path || mayReachFolder(account, parent);
}

function maySearch(account: Account, folder: { uid: number; gid: number; mode: number }): boolean {
  if (folder.uid === account.uid) {
    return (folder.mode & 0o100) !== 0;
  }
  return (folder.mode & (folder.gid === account.gid ? 0o010 : 0o001)) !== 0;
}

async function findAccount(names: readonly string[]): Promise<Account | undefined> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => ''))
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of names) {
    const [, , uid, gid] = lines.find(([candidate]) => candidate === name) ?? [];
    if (Number(uid) > 0 && gid !== undefined) {
      return { uid: Number(uid), gid: Number(gid) };
    }
  }
  return undefined;
}

/** Failure is no fault here: a second starter may have been quicker, and else the caller falls back. */
async function createServiceAccount(): Promise<void> {
  await runQuietly('groupadd', ['--system', 'postgres']);
  await runQuietly('useradd', [
    ...['--system', '--gid', 'postgres', '--no-create-home'],
    ...['--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin', 'postgres'],
  ]);
}

function runQuietly(program: string, parameters: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      stdio: 'ignore',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    });
    child.once('error', () => {
      resolve();
    });
    child.once('close', () => {
      resolve();
    });
  });
}
