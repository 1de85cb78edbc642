import { useEffect, useState } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { ServerFailure } from '../api/server-failure.ts';
import { useSessionControl } from '../session/session.tsx';

/** A transaction's entry of /ocra/checkstatus. */
type TransactionStatus = ValueOf<'/ocra/checkstatus'>[number];

/** The known state of a transaction that is watched. */
export interface WatchedTransaction {
  /** Undefined: nothing yet, or the transaction is no longer stored. */
  readonly status: TransactionStatus | undefined;
  /** True if it takes no more responses: it was accepted, expired or given up. */
  readonly isClosed: boolean;
  /** The last failure; null: the server answers. After one that is not `isAway`, nothing is asked again. */
  readonly failure: Error | null;
}

/** The time for which the server waits for a change before it answers: below the limits of usual proxies. */
const WAIT = '20S';
const PAUSE_MS = 3_000;
const NOTHING: WatchedTransaction = { status: undefined, isClosed: false, failure: null };

/**
 * Follows the state of a transaction: the server answers as soon as it changes. Goes on after failures of the
 * connection and after a new sign-in, and ends with the component or when the transaction is closed. Takes the right
 * `ocra:status`.
 * @param transactionId null: there is none
 */
export function useWatchedTransaction(transactionId: string | null): WatchedTransaction {
  const { isOpen, ended } = useSessionControl();
  const [watched, setWatched] = useState({ transactionId, ...NOTHING });
  useEffect(() => {
    if (transactionId === null || !isOpen) {
      return undefined;
    }
    const leaving = new AbortController();
    void watchTransaction(transactionId, {
      signal: leaving.signal,
      report: (known) => {
        if (known.failure instanceof ServerFailure && known.failure.isSignedOut) {
          ended();
        } else {
          setWatched({ transactionId, ...known });
        }
      },
    });
    return () => {
      leaving.abort();
    };
  }, [transactionId, isOpen, ended]);
  return watched.transactionId === transactionId ? watched : NOTHING;
}

/** Follows a transaction until it is closed, refused or left. Never fails. */
async function watchTransaction(
  transactionId: string,
  { signal, report }: { readonly signal: AbortSignal; readonly report: (known: WatchedTransaction) => void },
): Promise<void> {
  let next: Step = { known: NOTHING, pause: 0 };
  while (next.pause !== 'never') {
    next = await step(transactionId, next.known, signal);
    if (signal.aborted) {
      return;
    }
    report(next.known);
    if (next.pause !== 'never') {
      await rest(next.pause, signal);
    }
  }
}

interface Step {
  readonly known: WatchedTransaction;
  /** Milliseconds before the next request. */
  readonly pause: number | 'never';
}

async function step(transactionId: string, known: WatchedTransaction, signal: AbortSignal): Promise<Step> {
  let end = '';
  try {
    const [status] = await call('/ocra/checkstatus', waitFor(transactionId, known), {
      signal,
      onHeaders: (headers) => {
        end = headers.get('Tankeeper-Wait') ?? '';
      },
    });
    return stepAfter(status, end);
  } catch (error) {
    return stepAfterFailure(known, error instanceof Error ? error : new Error(String(error)));
  }
}

function stepAfter(status: TransactionStatus | undefined, end: string): Step {
  const isClosed = end === 'closed' || status?.valid_tan === true;
  // Otherwise too many requests wait, the server stops, or the transaction is not stored.
  const isFollowed = status !== undefined && end !== 'full' && end !== 'stopping';
  return {
    known: { status, isClosed, failure: null },
    pause: isClosed ? 'never' : isFollowed ? 0 : PAUSE_MS,
  };
}

function stepAfterFailure(known: WatchedTransaction, failure: Error): Step {
  const isAway = failure instanceof ServerFailure && failure.isAway;
  return {
    known: { ...known, failure },
    pause: isAway ? (failure.retryAfter ?? PAUSE_MS / 1000) * 1000 : 'never',
  };
}

/** @returns the parameters of the next request: at first the state as it is, then its next change */
function waitFor(
  transactionid: string,
  { status }: WatchedTransaction,
): { readonly transactionid: string; readonly wait?: string; readonly known?: string } {
  if (status === undefined) {
    return { transactionid };
  }
  const known = [status.received_tan, status.valid_tan, status.failcount].join(',');
  return { transactionid, wait: WAIT, known };
}

function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
