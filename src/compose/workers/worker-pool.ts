import { ServiceError, type ErrorCode } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { Conversation } from './conversation.ts';
import type { ProcessExit, WorkerProcess } from './worker-process.ts';

/** Milliseconds before a worker is started again that has answered for less than `SETTLED_MS`: at first, and at most. */
const DELAY = { first: 250, max: 10_000 };
/** Milliseconds after which a worker that ended had not failed at its start. */
const SETTLED_MS = 10_000;
/** Milliseconds in which a worker must have ended when it was told to; the requests have seven seconds of them. */
const STOP_TIMEOUT_MS = 9_000;
/** The same if it was told to end at once. */
const URGENT_TIMEOUT_MS = 2_000;
/** Milliseconds for a worker's metrics; those that it reported last take the place of late ones. */
const METRICS_TIMEOUT_MS = 1_000;

/** The parts of a pool. */
export interface WorkerPoolDependencies {
  readonly workers: number;
  readonly fork: () => WorkerProcess;
  /** Answers questions of workers, by their name. */
  readonly answers: Readonly<Record<string, (value: unknown) => unknown>>;
  readonly log: Log;
  /** Called when a worker has ended by itself. */
  readonly ended: (pid: number) => void;
}

/** The reason of a worker that could not start. */
export interface StartFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** The place of a worker. Its number stays when another process takes it. */
interface WorkerSlot {
  readonly number: number;
  worker?: LiveWorker | undefined;
  /** The times in a row that a worker has ended before it was settled. */
  failures: number;
  restart?: NodeJS.Timeout | undefined;
}

interface LiveWorker {
  readonly process: WorkerProcess;
  readonly conversation: Conversation;
  readonly ended: Promise<void>;
  /** Milliseconds of a monotonic clock; undefined before it listens. */
  readyAt?: number;
  isConnected: boolean;
  hasCutOff: boolean;
  failure?: StartFailure;
}

/** The milliseconds before the next start, after so many ends in a row that followed a start closely. */
export function restartDelay(failures: number): number {
  return failures === 0 ? 0 : Math.min(DELAY.max, DELAY.first * 2 ** (failures - 1));
}

/** Starts workers, starts those again that end by themselves, and stops them all. */
export class WorkerPool {
  readonly #deps: WorkerPoolDependencies;
  readonly #places: readonly WorkerSlot[];
  #phase: 'starting' | 'running' | 'stopping' = 'starting';
  #startEnded: { readonly resolve: (port: number) => void; readonly reject: (error: Error) => void } = {
    resolve: () => undefined,
    reject: () => undefined,
  };

  constructor(parts: WorkerPoolDependencies) {
    this.#deps = parts;
    this.#places = Array.from({ length: parts.workers }, (_, index) => ({ number: index + 1, failures: 0 }));
  }

  /** The number of workers that answer requests. */
  get running(): number {
    return this.#live().filter(({ readyAt }) => readyAt !== undefined).length;
  }

  /**
   * Starts all workers.
   * @returns the port on which they listen
   * @throws ServiceError of the first worker that cannot start, Error for one that ends without a reason
   */
  async start(): Promise<number> {
    const started = new Promise<number>((resolve, reject) => {
      this.#startEnded = { resolve, reject };
    });
    this.#places.forEach((place) => {
      this.#fork(place);
    });
    const port = await started;
    this.#phase = 'running';
    return port;
  }

  /** Asks each worker for its metrics. @param report receives those that arrive within a second */
  async collect(report: (pid: number, metrics: unknown) => void): Promise<void> {
    const readyWorkers = this.#live().filter(({ readyAt }) => readyAt !== undefined);
    await Promise.all(
      readyWorkers.map(async ({ conversation, process: { pid } }) => {
        const metrics = await conversation
          .request('metrics', undefined, METRICS_TIMEOUT_MS)
          .catch(() => undefined);
        if (metrics !== undefined) {
          report(pid, metrics);
        }
      }),
    );
  }

  /**
   * Lets all workers finish their requests and end.
   * @param urgent its abort cuts the requests off
   * @returns true if all requests finished
   */
  async stop(urgent?: AbortSignal): Promise<boolean> {
    this.#phase = 'stopping';
    const live = this.#live();
    for (const { restart } of this.#places) {
      clearTimeout(restart);
    }
    const killed: LiveWorker[] = [];
    const killAll = (): void => {
      for (const worker of this.#live()) {
        killed.push(worker);
        worker.process.kill();
      }
    };
    let deadline = setTimeout(killAll, STOP_TIMEOUT_MS);
    const hurry = (): void => {
      clearTimeout(deadline);
      deadline = setTimeout(killAll, URGENT_TIMEOUT_MS);
      live.forEach(({ conversation }) => {
        conversation.notify('stop at once');
      });
    };
    live.forEach(requestStop);
    urgent?.addEventListener('abort', hurry);
    if (urgent?.aborted === true) {
      hurry();
    }
    await Promise.all(live.map(({ ended }) => ended));
    clearTimeout(deadline);
    urgent?.removeEventListener('abort', hurry);
    return killed.length === 0 && live.every(({ hasCutOff }) => !hasCutOff);
  }

  #live(): readonly LiveWorker[] {
    return this.#places.flatMap(({ worker }) => worker ?? []);
  }

  #fork(place: WorkerSlot): void {
    const process = this.#deps.fork();
    const ended = new Promise<void>((resolve) => {
      process.onExit((exit) => {
        place.worker = undefined;
        resolve();
        this.#ended(place, worker, exit);
      });
    });
    const conversation = new Conversation({
      send: (message) => process.send(message),
      answers: this.#deps.answers,
      notices: {
        hello: () => {
          worker.isConnected = true;
          conversation.notify('start', { number: place.number, workers: this.#deps.workers });
        },
        ready: (port) => {
          this.#ready(place, worker, Number(port));
        },
        failed: (failure) => {
          worker.failure = failure as StartFailure;
        },
        'cut off': () => {
          worker.hasCutOff = true;
        },
      },
    });
    const worker: LiveWorker = { process, conversation, ended, isConnected: false, hasCutOff: false };
    place.worker = worker;
    process.onMessage((message) => {
      conversation.receive(message);
    });
  }

  #ready(place: WorkerSlot, worker: LiveWorker, port: number): void {
    worker.readyAt = performance.now();
    if (this.#phase === 'starting') {
      if (this.running === this.#places.length) {
        this.#startEnded.resolve(port);
      }
    } else {
      this.#deps.log.info('A worker answers again', { worker: place.number, pid: worker.process.pid });
    }
  }

  #ended(place: WorkerSlot, { process: { pid }, readyAt, failure }: LiveWorker, exit: ProcessExit): void {
    if (this.#phase === 'stopping') {
      return;
    }
    if (this.#phase === 'starting') {
      this.#startEnded.reject(startError(failure, exit));
      return;
    }
    const isSettled = readyAt !== undefined && performance.now() - readyAt >= SETTLED_MS;
    place.failures = isSettled ? 0 : place.failures + 1;
    this.#deps.log.error('A worker has ended, and is started again', {
      worker: place.number,
      pid,
      ...(exit.signal === null ? { exitCode: exit.exitCode ?? undefined } : { signal: exit.signal }),
      ...(failure !== undefined && { code: failure.code, fault: failure.message }),
    });
    this.#deps.ended(pid);
    place.restart = setTimeout(() => {
      this.#fork(place);
    }, restartDelay(place.failures));
  }
}

/** A worker that has not begun has nothing to finish, and hears nothing yet. */
function requestStop({ isConnected, conversation, process }: LiveWorker): void {
  if (isConnected) {
    conversation.notify('stop');
  } else {
    process.kill();
  }
}

function startError(failure: StartFailure | undefined, { exitCode, signal }: ProcessExit): Error {
  return failure === undefined
    ? new Error(`A worker ended while it started (${signal ?? `exit code ${exitCode ?? 'unknown'}`})`)
    : new ServiceError(failure.code as 'internal', failure.message);
}
