import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { runScript, type SystemAccount, unavailable } from './programs.ts';

const NAME = 'tankeeper';
const PROGRAMS = '/usr/sbin:/usr/bin:/sbin:/bin';
const USERADD = `--system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin ${NAME}`;
/** Another process may be creating the account; useradd then finds its files locked. */
const ATTEMPTS = 15;
const PAUSE_MS = 200;
const NO_PROGRAM = 'there is no useradd';

const run = promisify(execFile);

/**
 * Finds the account of a new cluster. PostgreSQL refuses to run as root, so root gives it to a system account of its
 * own, which is created if it is missing. An account such as `postgres` or `nobody` is not used: its other processes
 * could read the database.
 * @param programs the folders of the system's programs, as in PATH
 * @returns undefined for an ordinary user, as whom PostgreSQL can run
 * @throws ServiceError 'database.unavailable' if the account is missing and cannot be created
 */
export async function accountForNewCluster(programs = PROGRAMS): Promise<SystemAccount | undefined> {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  const surroundings = { env: { PATH: programs, LC_ALL: 'C' } };
  let complaint: string | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS && complaint !== NO_PROGRAM; attempt += 1) {
    const found = await findAccount(surroundings);
    if (found !== undefined) {
      return found;
    }
    complaint = await run('useradd', USERADD.split(' '), surroundings).then(
      () => undefined,
      (error: unknown) => {
        const { code, stderr } = error as { code?: string | number; stderr?: string };
        return code === 'ENOENT' ? NO_PROGRAM : (stderr ?? '').trim();
      },
    );
    await sleep(complaint === undefined ? 0 : PAUSE_MS);
  }
  throw unavailable(
    `PostgreSQL must not run as root, and its account ${NAME} is missing and cannot be created (${complaint ?? 'it does not appear'}): create a system account of that name, run tankeeper as an ordinary user, or set DATABASE_URL`,
  );
}

async function findAccount(surroundings: {
  env: Record<string, string>;
}): Promise<SystemAccount | undefined> {
  const ids = ['-u', '-g'].map((option) => run('id', [option, NAME], surroundings));
  const [uid = 0, gid = 0] = await Promise.all(ids).then(
    (found) => found.map(({ stdout }) => Number(stdout)),
    () => [],
  );
  return uid > 0 ? { uid, gid } : undefined;
}

/**
 * Names who may connect to the cluster: root, the account of this process, and the one that runs PostgreSQL, which can
 * read all the files anyway.
 * @throws ServiceError 'database.unavailable' if the account of this process has no name, by which alone PostgreSQL
 *   knows it
 */
export async function admittedNames(account: SystemAccount | undefined): Promise<ReadonlySet<string>> {
  const names = new Set(['root', ownName()]);
  if (account !== undefined) {
    const { status, output } = await runScript('id -un', [], { account });
    if (status === 0) {
      names.add(output);
    }
  }
  return names;
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    throw unavailable(
      `the embedded database cannot tell who connects: the user with the number ${process.getuid?.() ?? ''} has no name on this machine (no line in /etc/passwd). Run tankeeper as a user that has one, or set DATABASE_URL`,
    );
  }
}
