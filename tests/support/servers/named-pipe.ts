import { execFileSync } from 'node:child_process';

/** Creates a FIFO; Node has no call for it. */
const PROGRAM = 'mkfifo';

/** Makes a named pipe that only its owner may open and that has no writer: a blocking open waits. */
export function makeNamedPipe(file: string): void {
  execFileSync(PROGRAM, ['-m', '600', file]);
}
