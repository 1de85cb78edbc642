import type { ChallengeState } from './challenge-state.ts';
import { askStatus, type StatusFailure } from './status-request.ts';

/** Receivers of the news of a watch. */
export interface StatusReceiver {
  onState(state: ChallengeState): void;
  /** Called once for each time without a state; the watch goes on unless the failure is final. */
  onFailure(failure: StatusFailure): void;
}

const MIN_INTERVAL_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** One failure alone may be a change of the network. */
const FAILURES_REPORTED = 3;

/**
 * Asks the portal for the state until it is final, with long polling: at most once a second, and more and more seldom
 * while it fails.
 */
export async function watchStatus(url: URL, receiver: StatusReceiver, signal: AbortSignal): Promise<void> {
  let failures = 0;
  // The first answer comes at once: it tells what happened before.
  let wait = false;
  while (!signal.aborted) {
    const interval = pause(MIN_INTERVAL_MS, signal);
    const answer = await askStatus(url, wait, signal);
    if (isAborted(signal)) {
      return;
    }
    if ('state' in answer) {
      failures = 0;
      wait = true;
      receiver.onState(answer);
      await interval;
      continue;
    }
    failures += 1;
    wait = false;
    if (answer.final || failures === FAILURES_REPORTED) {
      receiver.onFailure(answer);
    }
    if (answer.final) {
      return;
    }
    await pause(Math.max(backOff(failures), answer.retryAfter), signal);
  }
}

/** The compiler takes a signal for unchanged over an await. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** @returns milliseconds: 1 to 2 s after the first failure, then twice as long each; at random, as all pages fail at once */
function backOff(failures: number): number {
  const longest = MIN_INTERVAL_MS * 2 ** failures;
  return Math.min(longest / 2 + (Math.random() * longest) / 2, MAX_PAUSE_MS);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
}
