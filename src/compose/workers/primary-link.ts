import cluster from 'node:cluster';
import type { StreamPlaces } from '../../http/limits/stream-places.ts';
import { Conversation } from './conversation.ts';
import { placesOfPrimary } from './places-of-primary.ts';
import type { StartFailure } from './worker-pool.ts';

/** Milliseconds for a worker's last message. */
const LAST_MESSAGE_MS = 1_000;
/** Milliseconds for the port: a worker that listens too early ends the whole start. */
const FREE_PORT_MS = 30_000;

/** The place of a worker among the others. */
export interface WorkerPlace {
  /** From 1. */
  readonly number: number;
  readonly workers: number;
}

/** A worker's side of its conversation with the primary. */
export interface PrimaryLink {
  /** Aborted when the worker must end, also because the primary is gone. */
  readonly requested: AbortSignal;
  /** Aborted when the worker must not wait for requests any more. */
  readonly urgent: AbortSignal;
  /** Announces this process. @returns its place; undefined if it must end */
  begin(): Promise<WorkerPlace | undefined>;
  /** Resolves when the port is free, or the primary is gone: until then the primary answers on it. */
  freePort(): Promise<void>;
  ready(port: number): void;
  /** Resolves when the primary has got the reason, or is gone. */
  failed(failure: StartFailure): Promise<void>;
  /** Resolves when the primary knows that requests were cut off, or is gone. */
  cutOff(): Promise<void>;
  /** @returns the number of further requests that the client may make in this second */
  lease(client: string): Promise<number>;
  readonly streams: StreamPlaces;
  /** @returns the metrics of all processes as text */
  metricsText(): Promise<string>;
}

/**
 * Joins the conversation with the primary.
 * @param snapshot returns the metrics of this process
 */
export function linkToPrimary(snapshot: () => Promise<unknown>): PrimaryLink {
  const requested = new AbortController();
  const urgent = new AbortController();
  let start: (place: WorkerPlace | undefined) => void = () => undefined;
  const placed = new Promise<WorkerPlace | undefined>((resolve) => {
    start = resolve;
  });
  const stop = (): void => {
    requested.abort();
    start(undefined);
  };
  const conversation = new Conversation({
    send: (message) => process.connected && process.send?.(message, undefined, {}, () => undefined) === true,
    answers: { metrics: snapshot },
    notices: {
      start: (place) => {
        start(place as WorkerPlace);
      },
      stop,
      'stop at once': () => {
        stop();
        urgent.abort();
      },
    },
  });
  process.on('message', (message) => {
    conversation.receive(message);
  });
  outliveThePrimary(() => {
    if (requested.signal.aborted) {
      urgent.abort();
    }
    stop();
    conversation.end();
  });
  return {
    requested: requested.signal,
    urgent: urgent.signal,
    begin: () => {
      conversation.notify('hello');
      return placed;
    },
    freePort: () => askForPort(conversation),
    ready: (port) => {
      conversation.notify('ready', port);
    },
    failed: (failure) => sendLast({ notify: 'failed', value: failure }),
    cutOff: () => sendLast({ notify: 'cut off' }),
    // A worker without a primary finishes its requests only.
    lease: async (client) => Number(await conversation.request('lease', client).catch(() => 1)),
    streams: placesOfPrimary(conversation, process.pid),
    metricsText: async () => String(await conversation.request('metrics')),
  };
}

/** Resolves when the primary has freed the port, or is gone. */
export async function askForPort(conversation: Pick<Conversation, 'request'>): Promise<void> {
  await conversation.request('free port', undefined, FREE_PORT_MS).catch(() => undefined);
}

/**
 * Keeps `node:cluster` from ending this process at once when the primary is gone: requests at work must finish, and the
 * last process that leaves the embedded database stops it.
 * @param gone called when the primary is gone
 */
function outliveThePrimary(gone: () => void): void {
  cluster.worker?.once('disconnect', () => {
    if (cluster.worker !== undefined) {
      cluster.worker.exitedAfterDisconnect = true;
    }
    gone();
  });
}

async function sendLast(message: object): Promise<void> {
  if (!process.connected) {
    return;
  }
  await new Promise<void>((resolve) => {
    setTimeout(resolve, LAST_MESSAGE_MS);
    process.send?.(message, undefined, {}, () => {
      resolve();
    });
  });
}
