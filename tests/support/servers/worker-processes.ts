import { readFileSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';

/** @returns the process ids of the workers of a server; none once it has ended */
export function workersOf({ pid }: ChildProcess): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
      .split(' ')
      .filter((child) => child !== '')
      .map(Number)
      .filter((child) => readFileSync(`/proc/${child}/cmdline`, 'latin1').includes('serve'));
  } catch {
    return [];
  }
}
