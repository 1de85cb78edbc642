import { useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { ServerFailure } from '../api/server-failure.ts';
import { isOfLogin } from './login-queries.ts';

export type HeldRight = ValueOf<'/admin/rights'>['rights'][number];

/** The login of this browser. Its rights are for leaving out what would be refused: the server decides. */
export interface Session {
  readonly administrator: string;
  readonly rights: readonly HeldRight[];
  /** @param realm left out: in any realm */
  may(scope: HeldRight['scope'], action: string, realm?: string): boolean;
}

/** What is known of the login. `away`: the server does not answer. */
export type SessionState =
  | { readonly kind: 'unknown' | 'signed-out' }
  | { readonly kind: 'away'; readonly failure: ServerFailure }
  | { readonly kind: 'signed-in'; readonly session: Session };

/** The login, and the ways to change it. */
export interface SessionControl {
  readonly state: SessionState;
  /** The login that the pages were opened with. It stays when it ends, until a sign-out or another one. */
  readonly shown: Session | undefined;
  /** Reads name and rights anew: after a sign-in, or when they may have changed. */
  readonly refresh: () => Promise<void>;
  /** Notes that the server knows the login no more. */
  readonly ended: () => void;
  /** Ends the login at the server. @throws ServerFailure */
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

const NOBODY = makeSession({ administrator: '', rights: [] });

/** @returns the login of the open pages */
export function useSession(): Session {
  return useSessionControl().shown ?? NOBODY;
}

/** @returns the login of that name with these rights */
export function makeSession({ administrator, rights }: ValueOf<'/admin/rights'>): Session {
  return {
    administrator,
    rights,
    may: (scope, action, realm) =>
      rights.some(
        (right) =>
          right.scope === scope &&
          right.action === action &&
          (right.realms === '*' ||
            (realm === undefined ? right.realms.length > 0 : right.realms.includes(realm))),
      ),
  };
}

/** Milliseconds between attempts to reach a server that does not answer. */
const RETRY_MS = 3_000;

/** Keeps the login for the pages below it. */
export function SessionProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [state, setState] = useState<SessionState>({ kind: 'unknown' });
  const [shown, setShown] = useState<Session>();
  const last = useRef('');
  const queries = useQueryClient();
  const refresh = useCallback(async () => {
    const read = await readState();
    if (read.kind === 'signed-in' && read.session.administrator !== last.current) {
      // What another administrator has read is none of this one's business.
      queries.removeQueries({ predicate: isOfLogin });
      last.current = read.session.administrator;
    }
    setState(read);
    if (read.kind === 'signed-in') {
      setShown(read.session);
      // Pages that stayed open below the sign-in were refused meanwhile.
      await queries.invalidateQueries({ predicate: isOfLogin });
    }
  }, [queries]);
  const ended = useCallback(() => {
    setState({ kind: 'signed-out' });
  }, []);
  const signOut = useCallback(async () => {
    await endLogin();
    last.current = '';
    setShown(undefined);
    setState({ kind: 'signed-out' });
    queries.clear();
  }, [queries]);
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
    () => ({ state, shown, refresh, ended, signOut }),
    [state, shown, refresh, ended, signOut],
  );
  return <SessionContext value={control}>{children}</SessionContext>;
}

/** @throws ServerFailure unless the login has ended */
async function endLogin(): Promise<void> {
  try {
    await call('/admin/logout');
  } catch (error) {
    if (!(error instanceof ServerFailure) || !error.isSignedOut) {
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
