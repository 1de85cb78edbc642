import { CliFailure, EXIT_CODES } from '../cli/cli-failure.ts';
import type { StopRequest } from '../kernel/stop-request.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Milliseconds in which further signals are the same wish as the first one. A terminal sends Ctrl-C to npm and to its
 * script, and npm passes its own on; a supervisor may send SIGTERM and SIGHUP.
 */
const SAME_WISH_MS = 2_000;

/** The process, or what stands in its place. */
interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

/** A `StopRequest` that can be withdrawn: then signals have their usual effect again. */
export interface WatchedSignals extends StopRequest {
  readonly release: () => void;
}

/**
 * Takes SIGINT, SIGTERM and SIGHUP from now on: the first is the request, the next one makes it urgent, a third ends the
 * process at once. All within two seconds of one of these are the same. The handlers stay: a signal that arrives while
 * none is there ends the process.
 * @param source the process unless told
 * @param now milliseconds of a clock that never goes back
 */
export function watchSignals(
  source: SignalSource = process,
  now: () => number = () => performance.now(),
): WatchedSignals {
  const reason = new CliFailure('interrupted', EXIT_CODES.interrupted);
  const requested = new AbortController();
  const urgent = new AbortController();
  const wishes = [
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
  const heed = (): void => {
    if (now() - last > SAME_WISH_MS) {
      last = now();
      wishes.shift()?.();
    }
  };
  SIGNALS.forEach((signal) => source.on(signal, heed));
  return {
    requested: requested.signal,
    urgent: urgent.signal,
    release: () => {
      SIGNALS.forEach((signal) => source.off(signal, heed));
    },
  };
}
