import { keepConnection } from './event-connection.ts';
import { afterEvent, FIRST_STATE, type LiveEvent, type LiveState } from './live-state.ts';

/** The lock that one tab of this browser holds, for each administrator. */
const LOCK = 'tankeeper-live';

/** A message between tabs. */
type TabMessage = { readonly state: LiveState } | { readonly question: 'state' };

/**
 * The stream of this browser: the tab that holds a lock has it, and tells the others. When that tab is closed, another
 * one goes on. Without locks (no secure context) each tab has a stream of its own.
 * @param administrator the owner of the stream: another login of this browser must not see it
 * @param changed gets each new state
 * @returns a function that ends it
 */
export function shareConnection(administrator: string, changed: (state: LiveState) => void): () => void {
  const name = `${LOCK} ${administrator}`;
  let state = FIRST_STATE;
  let isLeader = false;
  let close = (): void => undefined;
  const leaving = new AbortController();
  const tabs = new BroadcastChannel(name);
  const take = (next: LiveState): void => {
    state = next;
    changed(next);
  };
  const tell = (event: LiveEvent): void => {
    take(afterEvent(state, event));
    tabs.postMessage({ state } satisfies TabMessage);
  };
  tabs.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if ('state' in data) {
      if (!isLeader) {
        take(data.state);
      }
    } else if (isLeader) {
      tabs.postMessage({ state } satisfies TabMessage);
    }
  });
  const lead = (): void => {
    isLeader = true;
    close = keepConnection(tell);
  };
  // Absent outside of a secure context, though the types say otherwise.
  const locks = (navigator as { readonly locks?: LockManager }).locks;
  if (locks === undefined) {
    lead();
  } else {
    tabs.postMessage({ question: 'state' } satisfies TabMessage);
    void holdLock(locks, name, leaving.signal, lead);
  }
  return () => {
    leaving.abort();
    close();
    tabs.close();
  };
}

/** Waits for the lock, and holds it until the signal. */
async function holdLock(
  locks: LockManager,
  name: string,
  leaving: AbortSignal,
  lead: () => void,
): Promise<void> {
  const left = new Promise<void>((resolve) => {
    leaving.addEventListener('abort', () => {
      resolve();
    });
  });
  try {
    await locks.request(name, { signal: leaving }, async () => {
      lead();
      await left;
    });
  } catch {
    // The page has left before it got the lock.
  }
}
