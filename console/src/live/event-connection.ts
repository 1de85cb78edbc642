import { call } from '../api/call.ts';
import { ServerFailure } from '../api/server-failure.ts';
import { pauseAfter } from './backoff.ts';
import type { LiveEvent, Overview } from './live-state.ts';

/** Milliseconds without any event after which a connection is taken for lost: the server sends one every 15 seconds. */
const SILENCE_MS = 45_000;
/** Relative to /console/, wherever a proxy serves it. */
const PATH = 'api/admin/live';

/**
 * Keeps a stream of events from the server, and opens it again when it breaks. `EventSource` gives up after a refusal, so
 * every attempt has one of its own.
 * @param tell gets what happens
 * @returns a function that ends it
 */
export function keepConnection(tell: (event: LiveEvent) => void): () => void {
  let failures = 0;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEnded = false;

  const end = (): void => {
    isEnded = true;
    source?.close();
    clearTimeout(timer);
  };
  const lose = (): void => {
    source?.close();
    clearTimeout(timer);
    tell({ kind: 'lost', at: Date.now() });
    failures += 1;
    timer = setTimeout(() => void reconnect(), pauseAfter(failures, Math.random()));
  };
  const listen = (): void => {
    clearTimeout(timer);
    timer = setTimeout(lose, SILENCE_MS);
  };
  const signedOut = (): void => {
    end();
    tell({ kind: 'signed out' });
  };
  const reconnect = async (): Promise<void> => {
    // The page of an EventSource does not learn why it was refused.
    const isOpen = await isLoginOpen();
    if (isEnded) {
      return;
    }
    if (isOpen) {
      connect();
    } else {
      signedOut();
    }
  };
  const connect = (): void => {
    source = new EventSource(PATH);
    listen();
    source.addEventListener('overview', (event: MessageEvent<string>) => {
      failures = 0;
      listen();
      tell({ kind: 'overview', overview: JSON.parse(event.data) as Overview });
    });
    source.addEventListener('alive', listen);
    source.addEventListener('unavailable', () => {
      listen();
      tell({ kind: 'unavailable', at: Date.now() });
    });
    source.addEventListener('signed-out', signedOut);
    source.addEventListener('error', lose);
  };
  connect();
  return end;
}

/** @returns false if the server says that the login has ended; true also where it does not answer */
async function isLoginOpen(): Promise<boolean> {
  try {
    await call('/admin/rights');
    return true;
  } catch (error) {
    return !(error instanceof ServerFailure && error.isSignedOut);
  }
}
