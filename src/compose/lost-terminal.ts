import { closeSync, fstatSync } from 'node:fs';
import { isatty } from 'node:tty';

const STANDARD_STREAMS = [0, 1, 2] as const;

/**
 * Lets this process end as it should when its terminal was closed. At its end Node.js restores the settings of the
 * terminals that it was started on; where one is gone it aborts, and a core dump would hold the keys. What is closed it
 * leaves alone.
 */
export function bearLostTerminal(): void {
  process.once('exit', () => {
    STANDARD_STREAMS.filter(isLostTerminal).forEach((descriptor) => {
      closeSync(descriptor);
    });
  });
}

/** A terminal that is gone is a device still, but no terminal. So is /dev/null, which may be closed as well. */
function isLostTerminal(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice() && !isatty(descriptor);
  } catch {
    return false;
  }
}
