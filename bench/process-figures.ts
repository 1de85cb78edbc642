import { readdir, readFile } from 'node:fs/promises';

/** Clock ticks a second, in which Linux counts CPU time. */
const TICKS = 100;
const KIBIBYTE = 1024;
const PARENT = 1;
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/** The resources that a process and its descendants use. */
export interface ProcessFigures {
  /** Seconds of CPU time so far; NaN where there is no /proc. */
  readonly cpu: number;
  /** Resident memory of each of these processes, in bytes. */
  readonly rss: readonly number[];
}

/** @returns the figures of a process and of its descendants, from Linux's /proc */
export async function processFigures(pid: number): Promise<ProcessFigures> {
  const states = await readStates();
  const family = [pid];
  for (const member of family) {
    family.push(
      ...[...states].filter(([, fields]) => Number(fields[PARENT]) === member).map(([child]) => child),
    );
  }
  const fields = family.flatMap((member) => [states.get(member) ?? []]);
  const ticks = fields.map((each) => Number(each[USER_TIME]) + Number(each[SYSTEM_TIME]));
  return {
    cpu: ticks.reduce((sum, each) => sum + each, 0) / TICKS,
    rss: (await Promise.all(family.map(residentMemory))).filter((bytes) => bytes > 0),
  };
}

/** @returns the fields of /proc/<pid>/stat from the state on, by process */
async function readStates(): Promise<ReadonlyMap<number, readonly string[]>> {
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const states = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
      return [Number(name), text.slice(text.lastIndexOf(')') + 2).split(' ')] as const;
    }),
  );
  return new Map(states);
}

async function residentMemory(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * KIBIBYTE;
}
