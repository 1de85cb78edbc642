import { closeSync, fstatSync, readFileSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { setFlagsFromString } from 'node:v8';
import { CliFailure, EXIT_CODES } from '../cli/cli-failure.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../kernel/log.ts';
import { plainLog } from '../observability/plain-log.ts';
import type { StopRequest } from '../kernel/stop-request.ts';
import { Writable } from 'node:stream';

/** Bytes that a pipe takes whole (PIPE_BUF): the lines of several processes on one pipe are not mixed. */
const MAX_WRITE = 4_096;
/** Bytes that may wait for the reader of a pipe. */
const MAX_WAITING = 1_048_576;

/** Standard output, or its substitute in a test. */
type Output = NodeJS.WritableStream &
  Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'writableLength'>> & { readonly fd?: number };

/**
 * The log of a server on standard output: the lines of one turn of the event loop in one write. Lines that a full disk, or
 * a pipe that nobody reads, does not take are lost; the server goes on.
 */
export class LogOutput extends Writable {
  readonly isTTY: boolean;
  readonly #target: Output;
  readonly #isFile: boolean;
  #text = '';

  constructor(target: Output) {
    super({ decodeStrings: false });
    this.#target = target;
    this.#isFile = isFile(target.fd);
    this.isTTY = target.isTTY === true;
  }

  override _write(line: string, _encoding: BufferEncoding, done: () => void): void {
    if (this.#text === '') {
      setImmediate(() => {
        this.flush();
      });
    } else if (Buffer.byteLength(this.#text) + Buffer.byteLength(line) > MAX_WRITE) {
      this.flush();
    }
    this.#text += line;
    done();
  }

  override _final(done: () => void): void {
    this.flush();
    done();
  }

  /** Passes the rest on at once: at the end of the process no further turn comes. */
  flush(): void {
    const text = this.#text;
    this.#text = '';
    if (text === '') {
      return;
    }
    if (this.#isFile) {
      try {
        // Node's stream for files takes nothing after a fault.
        writeSync(this.#target.fd ?? 1, text);
      } catch {
        // There is no other place to tell it.
      }
    } else if ((this.#target.writableLength ?? 0) <= MAX_WAITING) {
      this.#target.write(text);
    }
  }
}

/** @returns false for a terminal, a pipe or a socket, whose reader may keep a writer waiting */
function isFile(descriptor: number | undefined): boolean {
  if (descriptor === undefined) {
    return false;
  }
  const kind = fstatSync(descriptor);
  return kind.isFile() || (kind.isCharacterDevice() && !isatty(descriptor));
}

/** To be called once. @returns the log of a server. From now on no fault of an output ends the process */
export function logOutput(): LogOutput {
  const lines = new LogOutput(process.stdout);
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners('error').on('error', () => undefined);
  }
  process.once('exit', () => {
    lines.flush();
  });
  return lines;
}

/** Descriptors for all but clients and the pool: log, files, listeners, resolvers, receivers of events. */
const OTHER_DESCRIPTORS = 100;

/**
 * @param limits the text of /proc/self/limits; undefined: the system has none
 * @returns a warning if the process may open fewer files than LIMIT_CONNECTIONS asks for
 */
export function descriptorWarning(
  { limits: { connections }, databasePoolSize }: Pick<Config, 'limits' | 'databasePoolSize'>,
  limits: string | undefined = readLimits(),
): string | undefined {
  const granted = Number(/^Max open files\s+(\d+)/m.exec(limits ?? '')?.[1] ?? Infinity);
  const needed = connections + databasePoolSize + OTHER_DESCRIPTORS;
  return granted >= needed
    ? undefined
    : `The process may open ${granted} files, and LIMIT_CONNECTIONS=${connections} needs ${needed}: raise LimitNOFILE (ulimit -n), or lower LIMIT_CONNECTIONS`;
}

function readLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Milliseconds in which further signals count as the same request. A terminal sends Ctrl-C to npm and to its script,
 * and npm passes its own on; a supervisor may send SIGTERM and SIGHUP.
 */
const SAME_REQUEST_MS = 2_000;

/** The process, or its substitute in a test. */
interface SignalSource {
  on(signal: NodeJS.Signals, listener: NodeJS.SignalsListener): unknown;
  off(signal: NodeJS.Signals, listener: NodeJS.SignalsListener): unknown;
  exit(code: number): void;
}

/** A `StopRequest`. After `release`, signals have their usual effect again. */
interface WatchedSignals extends StopRequest {
  readonly release: () => void;
  /** @returns the signal that was the request */
  readonly first: () => NodeJS.Signals | undefined;
}

/**
 * Handles SIGINT, SIGTERM and SIGHUP from now on: the first is the request, the next one makes it urgent, a third ends
 * the process at once. Signals within two seconds of one of these are ignored. The handlers stay until `release`,
 * because a signal without a handler ends the process.
 * @param now milliseconds of a monotonic clock
 * @param signals those that it handles; by default all of them
 */
export function watchSignals(
  source: SignalSource = process,
  now: () => number = () => performance.now(),
  signals = SIGNALS,
): WatchedSignals {
  const reason = new CliFailure('interrupted', EXIT_CODES.interrupted);
  const requested = new AbortController();
  const urgent = new AbortController();
  const steps = [
    () => {
      requested.abort(reason);
    },
    () => {
      urgent.abort(reason);
    },
    () => {
      source.exit(EXIT_CODES.interrupted);
    },
  ];
  let last = -Infinity;
  let first: NodeJS.Signals | undefined;
  const handle = (signal: NodeJS.Signals): void => {
    first ??= signal;
    if (now() - last > SAME_REQUEST_MS) {
      last = now();
      steps.shift()?.();
    }
  };
  signals.forEach((signal) => source.on(signal, handle));
  return {
    requested: requested.signal,
    urgent: urgent.signal,
    first: () => first,
    release: () => {
      signals.forEach((signal) => source.off(signal, handle));
    },
  };
}

/** @param work ends when its signal is aborted, which the signals of the process do */
export async function untilSignal<T>(work: (giveUp: AbortSignal) => Promise<T>): Promise<T> {
  const { requested, release } = watchSignals();
  return work(requested).finally(release);
}

/** @returns a log of warnings and errors only: the result of a command is what its user waits for */
export function commandLog({ logLevel }: Config): Log {
  return plainLog({
    level: logLevel === 'info' ? 'warn' : logLevel,
    write: (text) => process.stderr.write(text),
  });
}

const STANDARD_STREAMS = [0, 1, 2] as const;

/**
 * Lets the process exit normally after its terminal was closed. At its exit Node.js restores the settings of its
 * terminals and aborts if one is gone; the core dump would hold the keys. Node.js skips closed descriptors.
 */
export function closeLostTerminals(): void {
  process.once('exit', () => {
    STANDARD_STREAMS.filter(isLostTerminal).forEach((descriptor) => {
      closeSync(descriptor);
    });
  });
}

/**
 * A terminal that is gone is still a device but no terminal. /dev/null has the same properties and may be closed, too.
 */
function isLostTerminal(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice() && !isatty(descriptor);
  } catch {
    return false;
  }
}

/**
 * Has V8 collect old garbage once the heap has grown by so many percent, instead of fourfold.
 * @param percent 30 for a server, which takes a third less memory then; 100 for commands, which pay less time for it
 */
export function boundHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/** For a command that makes much garbage for long beside a server: collects it early, in a young generation of 2 MiB. */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  boundHeapGrowth(10);
}
