import type { CliIo } from './dependencies.ts';

/**
 * Tells how far the work is. @param what a clause with a participle, in place of the first one
 */
export type ShowProgress = (done: number, total: number, what?: string) => void;

/**
 * Names work on a line of an interactive terminal while it lasts: `reading users …`, and how far it is where it tells.
 * @param what a clause with a participle
 */
export async function withProgress<T>(
  io: CliIo,
  what: string,
  work: (progress: ShowProgress) => Promise<T>,
): Promise<T> {
  const show = (text: string): void => {
    if (io.isInteractive) {
      // A line that fills the last column wraps, and could not be erased.
      io.stderr.write(`\r\u001b[K${text.slice(0, io.columns - 1)}`);
    }
  };
  show(`${what} …`);
  try {
    return await work((done, total, doing = what) => {
      if (total > 0) {
        show(`${doing} … ${done} of ${total} (${Math.floor((100 * Math.min(done, total)) / total)} %)`);
      }
    });
  } finally {
    show('');
  }
}
