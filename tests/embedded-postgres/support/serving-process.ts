import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** @returns the number in postmaster.pid, undefined if there is none */
export async function postmasterPid(cluster: string): Promise<number | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  return /^\d+/.test(text) ? Number.parseInt(text, 10) : undefined;
}

/** @returns the process that serves the cluster: the one in postmaster.pid, if it works there */
export async function servingProcess(cluster: string): Promise<number | undefined> {
  const pid = await postmasterPid(cluster);
  return pid !== undefined && (await worksIn(pid, cluster)) ? pid : undefined;
}

/** @returns true if that is the current folder of the process */
export async function worksIn(pid: number, folder: string): Promise<boolean> {
  const [there, here] = await Promise.all(
    [`/proc/${pid}/cwd`, folder].map((path) => stat(path).catch(() => undefined)),
  );
  return here !== undefined && here.ino === there?.ino && here.dev === there.dev;
}
