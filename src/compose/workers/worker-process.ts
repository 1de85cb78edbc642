import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';

/** The end of a process. */
export interface ProcessExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A process that answers requests. */
export interface WorkerProcess {
  readonly pid: number;
  /** Sends a message. @returns false if the process is gone */
  send(message: object): boolean;
  /** Ends the process at once. */
  kill(): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called after the last message. */
  onExit(listener: (exit: ProcessExit) => void): void;
}

/** Longest wait for the last messages of a process that has ended, in milliseconds. */
const LAST_WORDS_MS = 200;

/** Starts this program once more, as a worker. */
export function forkWorker(): WorkerProcess {
  const worker = cluster.fork();
  closeLostConnection(worker);
  // A message to a worker that has just been killed fails; its end is noticed by the exit.
  worker.on('error', () => undefined);
  return {
    pid: worker.process.pid ?? 0,
    send: (message) => worker.isConnected() && worker.send(message, () => undefined),
    kill: () => {
      worker.process.kill('SIGKILL');
    },
    onMessage: (listener) => {
      worker.on('message', listener);
    },
    onExit: (listener) => {
      worker.once('exit', (exitCode: number | null, signal: string | null) => {
        const disconnected = new Promise<void>((resolve) => {
          worker.once('disconnect', resolve);
        });
        void Promise.race([worker.isConnected() ? disconnected : undefined, sleep(LAST_WORDS_MS)]).then(
          () => {
            listener({ exitCode, signal });
          },
        );
      });
    },
  };
}

/**
 * Closes the connection that a killed worker was being handed: `node:cluster` closes it only after the worker has taken
 * it, and its client would wait for an answer without end. Closing a handle twice has no effect.
 */
function closeLostConnection(worker: Worker): void {
  const child = worker.process;
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  let last: unknown;
  child.send = (...args: unknown[]) => {
    last = args[1] ?? last;
    return send(...args);
  };
  child.once('exit', () => {
    if (isClosable(last)) {
      last.close();
    }
  });
}

function isClosable(handle: unknown): handle is { close(): void } {
  return (
    typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function'
  );
}
