import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef } from 'react';
import { call } from '../api/call.ts';
import { ServerFailure } from '../api/server-failure.ts';
import {
  afterRead,
  isOf,
  makeSession,
  NOBODY_SHOWN,
  type Session,
  type SessionState,
  type Shown,
} from './shown.ts';
import { useShown } from './use-shown.ts';
import { useTabs } from './use-tabs.ts';

export type { Session } from './shown.ts';

/** The login, and the ways to change it. */
export interface SessionControl extends Shown {
  /** Reads name and rights anew: after a sign-in, or when they may have changed. */
  readonly refresh: () => Promise<void>;
  /** Notes that the server no longer knows the login. Its pages are kept for a while. */
  readonly ended: () => void;
  /** Notes that the person has ended the login: its pages go. */
  readonly left: () => void;
  /** Ends the login at the server, and leaves. @throws ServerFailure where it may still be open */
  readonly signOut: () => Promise<void>;
}

const SessionContext = createContext<SessionControl | undefined>(undefined);

/** @returns the control of the login, anywhere in the console */
export function useSessionControl(): SessionControl {
  const control = useContext(SessionContext);
  if (control === undefined) {
    throw new Error('outside of SessionProvider');
  }
  return control;
}

/** @returns the login that the pages belong to */
export function useSession(): Session {
  return useSessionControl().owner ?? NOBODY;
}

const NOBODY = makeSession({ administrator: '', rights: [], realms: [] });
/** Milliseconds between attempts to reach a server that does not answer. */
const RETRY_MS = 3_000;
/** The channel on which the tabs of a browser tell each other who is signed in: the name, or `null` for nobody. */
const CHANNEL = 'tankeeper-login';

/** Keeps the login for the pages below it. */
export function SessionProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const { shown, change } = useShown();
  const { state } = shown;
  const tabs = useTabs(CHANNEL);
  const reads = useRef(0);
  const refresh = useCallback(async () => {
    reads.current += 1;
    const number = reads.current;
    const read = await readState();
    // Of several readings at once, the last one is of the present login.
    if (number === reads.current) {
      change((before) => afterRead(before, read));
      if (read.kind === 'signed-in') {
        tabs.tell(read.session.administrator);
      }
    }
  }, [change, tabs]);
  const ended = useCallback(() => {
    change((before) => afterRead(before, { kind: 'signed-out' }));
  }, [change]);
  const forget = useCallback(() => {
    reads.current += 1;
    change(() => NOBODY_SHOWN);
  }, [change]);
  const left = useCallback(() => {
    forget();
    tabs.tell(null);
  }, [forget, tabs]);
  const signOut = useCallback(async () => {
    await endLogin();
    left();
  }, [left]);
  useEffect(
    () =>
      tabs.listen((administrator) => {
        if (administrator === null) {
          forget();
        } else if (!isOf(shown, administrator)) {
          void refresh();
        }
      }),
    [tabs, forget, refresh, shown],
  );
  useEffect(() => {
    if (state.kind === 'unknown') {
      void refresh();
    }
    const timer = state.kind === 'away' ? setTimeout(() => void refresh(), RETRY_MS) : undefined;
    return () => {
      clearTimeout(timer);
    };
  }, [state, refresh]);
  const control = useMemo(
    () => ({ ...shown, refresh, ended, left, signOut }),
    [shown, refresh, ended, left, signOut],
  );
  return <SessionContext value={control}>{children}</SessionContext>;
}

/** @throws ServerFailure unless the login has ended */
async function endLogin(): Promise<void> {
  try {
    await call('/admin/logout');
  } catch (error) {
    if (!(error instanceof ServerFailure && error.isSignedOut)) {
      throw error;
    }
  }
}

async function readState(): Promise<SessionState> {
  try {
    return { kind: 'signed-in', session: makeSession(await call('/admin/rights')) };
  } catch (error) {
    if (error instanceof ServerFailure) {
      return error.isSignedOut ? { kind: 'signed-out' } : { kind: 'away', failure: error };
    }
    throw error;
  }
}
