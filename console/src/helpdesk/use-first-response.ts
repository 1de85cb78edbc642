import { useEffect, useState } from 'react';
import { call } from '../api/call.ts';
import { ServerFailure } from '../api/server-failure.ts';
import { useSessionControl } from '../session/session.tsx';

/** What has come of the first response. `fallen`: too many were wrong, and the activation code is asked for again. */
export type FirstResponse =
  | { readonly kind: 'waiting'; readonly wrong: number; readonly failure: Error | null }
  | { readonly kind: 'accepted' | 'fallen' };

/** Milliseconds between questions, where the server does not hold them until something changes. */
const PAUSE_MS = 2_000;
const WAIT = '20S';

/** @returns the state of the roll-out's first transaction, as it changes */
export function useFirstResponse(serial: string, transactionId: string): FirstResponse {
  const [state, setState] = useState<FirstResponse>({ kind: 'waiting', wrong: 0, failure: null });
  const { ended } = useSessionControl();
  useEffect(() => {
    const control = new AbortController();
    const watch = new Watch(serial, transactionId, control.signal);
    const tell = (told: FirstResponse): void => {
      setState(told);
      if (told.kind === 'waiting' && told.failure instanceof ServerFailure && told.failure.isSignedOut) {
        ended();
      }
    };
    void watch.untilTheEnd(tell);
    return () => {
      control.abort();
    };
  }, [serial, transactionId, ended]);
  return state;
}

/** Asks for the state of a transaction until the roll-out is complete, or has fallen back. */
class Watch {
  readonly #serial: string;
  readonly #transactionId: string;
  readonly #signal: AbortSignal;
  #known: string | undefined;
  #firstFailCount: number | undefined;

  constructor(serial: string, transactionId: string, signal: AbortSignal) {
    this.#serial = serial;
    this.#transactionId = transactionId;
    this.#signal = signal;
  }

  async untilTheEnd(tell: (state: FirstResponse) => void): Promise<void> {
    for (;;) {
      const asked = performance.now();
      const state = await this.#look();
      if (state === undefined) {
        return;
      }
      tell(state);
      if (state.kind !== 'waiting') {
        return;
      }
      // A transaction that takes no more responses is answered at once.
      await pause(performance.now() - asked < PAUSE_MS ? PAUSE_MS : 0, this.#signal);
    }
  }

  /** @returns undefined when nobody wants to know any more */
  async #look(): Promise<FirstResponse | undefined> {
    try {
      const wrong = await this.#wrongResponses();
      const outcome = await outcomeOf(this.#serial, this.#signal);
      return outcome === undefined ? { kind: 'waiting', wrong, failure: null } : { kind: outcome };
    } catch (error) {
      return this.#signal.aborted ? undefined : { kind: 'waiting', wrong: 0, failure: error as Error };
    }
  }

  /** Waits at the server for a change, once it knows the state. */
  async #wrongResponses(): Promise<number> {
    const [entry] = await statusOf(this.#transactionId, this.#known, this.#signal);
    if (entry === undefined) {
      return 0;
    }
    this.#firstFailCount ??= entry.failcount;
    this.#known = `${String(entry.received_tan)},${String(entry.valid_tan)},${entry.failcount}`;
    return Math.max(0, entry.failcount - this.#firstFailCount);
  }
}

/** A caller without the right to it gets nothing. */
async function statusOf(
  transactionid: string,
  known: string | undefined,
  signal: AbortSignal,
): ReturnType<typeof call<'/ocra/checkstatus'>> {
  try {
    const waiting = known === undefined ? {} : { wait: WAIT, known };
    return await call('/ocra/checkstatus', { transactionid, ...waiting }, { signal });
  } catch (error) {
    if (error instanceof ServerFailure && !error.isAway && !error.isSignedOut) {
      return [];
    }
    throw error;
  }
}

async function outcomeOf(serial: string, signal: AbortSignal): Promise<'accepted' | 'fallen' | undefined> {
  const { token } = await call('/admin/token', { serial }, { signal });
  switch (token.rollout) {
    case 'complete':
      return 'accepted';
    case 'phase1':
      return 'fallen';
    case 'phase2':
      return undefined;
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
