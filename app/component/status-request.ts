import { type ChallengeState, readChallengeState } from './challenge-state.ts';

/** An answer without a state. */
export interface StatusFailure {
  /** The HTTP status; null without an answer. */
  readonly status: number | null;
  /** True if the same request will fail again: the portal does not know the transaction, or the session is over. */
  readonly final: boolean;
  /** Milliseconds for which the portal wants no other request. */
  readonly retryAfter: number;
}

export type StatusAnswer = ChallengeState | StatusFailure;

/** More than the longest `wait`. */
const TIMEOUT_MS = 40_000;
const MAX_RETRY_AFTER_MS = 60_000;
/** Client errors that pass: request time-out, too early, too many requests. */
const PASSING = [408, 425, 429];

/** Asks the portal for the state. @param wait lets the portal answer late, as soon as the state changes */
export function askStatus(url: URL, wait: boolean, signal: AbortSignal): Promise<StatusAnswer> {
  const waiting = new URL(url);
  if (wait) {
    waiting.searchParams.set('wait', '20S');
  }
  return send(waiting, { method: 'GET' }, signal);
}

/** Sends typed digits to the portal. */
export function sendDigits(url: URL, digits: string, signal: AbortSignal): Promise<StatusAnswer> {
  return send(url, { method: 'POST', body: new URLSearchParams({ response: digits }) }, signal);
}

async function send(url: URL, request: RequestInit, signal: AbortSignal): Promise<StatusAnswer> {
  const limited = new AbortController();
  const limit = setTimeout(() => {
    limited.abort();
  }, TIMEOUT_MS);
  const abort = (): void => {
    limited.abort();
  };
  signal.addEventListener('abort', abort);
  try {
    const response = await fetch(url, {
      ...request,
      headers: { accept: 'application/json' },
      cache: 'no-store',
      credentials: 'same-origin',
      // A redirect leads to a log-in page, never to a state.
      redirect: 'error',
      signal: limited.signal,
    });
    return response.ok ? await readState(response) : failureOf(response);
  } catch {
    return { status: null, final: false, retryAfter: 0 };
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', abort);
  }
}

async function readState(response: Response): Promise<StatusAnswer> {
  const state = readChallengeState(await response.json().catch(() => undefined));
  return state ?? { status: response.status, final: false, retryAfter: 0 };
}

function failureOf({ status, headers }: Response): StatusFailure {
  const seconds = Number(headers.get('retry-after') ?? 0);
  const retryAfter = seconds > 0 ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : 0;
  return { status, final: status >= 400 && status < 500 && !PASSING.includes(status), retryAfter };
}
