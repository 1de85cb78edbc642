import { execFileSync } from 'node:child_process';

/** POSIX has it; Node has no call for it. */
const PROGRAM = 'mkfifo';

/** Makes a named pipe that only its owner may open, and that nobody writes to: whoever opens it in earnest waits. */
export function makeNamedPipe(file: string): void {
  execFileSync(PROGRAM, ['-m', '600', file]);
}
