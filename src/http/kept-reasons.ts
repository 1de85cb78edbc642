import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/clock.ts';
import { type ErrorCode, isServiceError, ServiceError } from '../kernel/errors.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import type { Exchange } from './request/exchange.ts';

/** The messages of open endpoints for an internal failure. Its reason is logged only. */
const TEXTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  'resolver.unavailable': 'The resolver is unavailable',
  'key.unavailable': 'The key is unavailable',
  'secret.unreadable': 'The key is unavailable',
  'security-module.unavailable': 'The security module is unavailable',
};

/** Milliseconds in which the same reason is logged once: any client may cause it at any rate. The cache keeps the last one, too. */
const QUIET_MS = 59_999;
/** The most reasons that are remembered. */
const MAX_REPORTED = 1_000;

/** A failure without its reason, as any client may see it. */
class UnexplainedError extends ServiceError {
  /** The message of the original error, for the log. */
  readonly reason: string;

  constructor(error: ServiceError, message: string) {
    super(error.code, message, {
      cause: error,
      ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
    });
    this.reason = error.message;
  }
}

/** @returns the error as an open endpoint may answer it: without the reason why a resolver, a file or a key failed */
export function withoutReason(error: unknown): unknown {
  const text = isServiceError(error) ? TEXTS[error.code] : undefined;
  return text !== undefined && isServiceError(error) ? new UnexplainedError(error, text) : error;
}

/** Logs the reasons that open endpoints withhold. */
export class KeptReasons {
  readonly #log: Log;
  readonly #quiet: LRUCache<string, true>;

  constructor({ log, clock }: { log: Log; clock: Clock }) {
    this.#log = log;
    const now = (): number => clock.now().getTime();
    this.#quiet = new LRUCache({ max: MAX_REPORTED, ttl: QUIET_MS, ttlResolution: 0, perf: { now } });
  }

  /** Logs the reason of an error, if it was withheld. To be called with every error that is answered. */
  note(error: ServiceError, { requestId, context }: Exchange): void {
    if (!(error instanceof UnexplainedError) || this.#quiet.has(error.reason)) {
      return;
    }
    this.#quiet.set(error.reason, true);
    const { fault, faultDetail } = describeFault(error.cause);
    this.#log.warn(`A request failed, and the client was not told why: ${error.reason}`, {
      requestId,
      path: context.path,
      fault,
      faultDetail,
    });
  }
}
