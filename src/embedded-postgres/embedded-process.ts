import { readFile, readlink, stat } from 'node:fs/promises';

import { runProgram, runScript } from './embedded-program.ts';
import { isSameFolder } from './folder-identity.ts';

/**
 * @returns whether the process is a PostgreSQL that works in this cluster and runs as its owner. A number in a file says
 * neither: after a crash, in a copy or by an attacker's hand it may be that of any other process.
 */
export async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  const owner = await stat(cluster).catch(() => undefined);
  if (owner === undefined) {
    return false;
  }
  if ((await readlink('/proc/self/cwd').catch(() => undefined)) === undefined) {
    return isListedAsPostmaster(pid, cluster, owner.uid);
  }
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  if (!/^Name:\tpostgres$/m.test(status) || /^Uid:\t(\d+)\t/m.exec(status)?.[1] !== String(owner.uid)) {
    return false;
  }
  // A postmaster's current folder is its data directory, also after that was renamed.
  return (
    (await isSameFolder(`/proc/${pid}/cwd`, cluster)) ||
    (process.getuid?.() === 0 && (await ownerSeesSameFolder(pid, cluster, owner)))
  );
}

/** In a container root may not look where another account's process works, but that account may. */
async function ownerSeesSameFolder(
  pid: number,
  cluster: string,
  { uid, gid }: { uid: number; gid: number },
): Promise<boolean> {
  const parameters = [`/proc/${pid}/cwd`, cluster];
  return uid !== 0 && (await runScript('[ "$1" -ef "$2" ]', parameters, { uid, gid })).status === 0;
}

/** The same where there is no /proc (macOS), by the command line, which names the data directory. */
export async function isListedAsPostmaster(pid: number, cluster: string, uid: number): Promise<boolean> {
  const { output } = await runProgram('/bin/ps', ['-ww', '-o', 'uid=,command=', '-p', String(pid)], {
    account: undefined,
    libraryPath: undefined,
  });
  const [, owner, command = ''] = /^\s*(\d+)\s+(.*)$/.exec(output) ?? [];
  return owner === String(uid) && /(?:^|\/)postgres /.test(command) && command.includes(` -D ${cluster} -c `);
}
