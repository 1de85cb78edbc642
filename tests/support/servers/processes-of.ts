import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../values/until.ts';

/** A process, and its command line. */
interface FoundProcess {
  readonly pid: number;
  readonly words: string;
}

/** @returns the processes of the folder: by an argument, their environment or their current folder */
export function processesOf(folder: string): readonly FoundProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => traces(name).some((trace) => trace.includes(folder)))
    .map((name) => ({ pid: Number(name), words: orNothing(() => commandLine(name)) }));
}

/** Waits until the folder has no process. @throws with the remaining ones after a long time */
export async function untilNobodyIsLeft(folder: string): Promise<void> {
  const describe = (): string =>
    `left behind:\n${processesOf(folder)
      .map(({ pid, words }) => `${pid} ${words}`)
      .join('\n')}`;
  await until(() => processesOf(folder).length === 0, { pollMs: 50, describe });
}

/** Waits until all threads of a process are stopped: on a busy machine some still answer for a while. */
export async function untilStopped(pid: number): Promise<void> {
  const isRunning = (thread: string): boolean =>
    !/^\d+ \(.*\) T/s.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'));
  while (readdirSync(`/proc/${pid}/task`).some(isRunning)) {
    await sleep(5);
  }
}

/** Ends the processes that a test has left behind. */
export function killProcessesOf(folder: string): void {
  for (const { pid } of processesOf(folder)) {
    orNothing(() => String(process.kill(pid, 'SIGKILL')));
  }
}

function traces(name: string): readonly string[] {
  return [
    orNothing(() => commandLine(name)),
    orNothing(() => readFileSync(`/proc/${name}/environ`, 'latin1')),
    orNothing(() => readlinkSync(`/proc/${name}/cwd`)),
  ];
}

function commandLine(name: string): string {
  return readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
}

/** @returns an empty text for a process that has ended meanwhile, or belongs to another user */
function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
