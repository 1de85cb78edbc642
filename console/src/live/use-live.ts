import { useEffect, useState } from 'react';
import { useSession, useSessionControl } from '../session/session.tsx';
import { FIRST_STATE, type LiveState } from './live-state.ts';
import { shareConnection } from './shared-connection.ts';

/** @returns the overview as it changes, and whether it is the present one. The stream is open while a page uses it */
export function useLive(): LiveState {
  const { administrator } = useSession();
  const { state: login, ended } = useSessionControl();
  const isSignedIn = login.kind === 'signed-in';
  const [state, setState] = useState<LiveState>(FIRST_STATE);
  useEffect(
    () => (isSignedIn ? shareConnection(administrator, setState) : undefined),
    [administrator, isSignedIn],
  );
  useEffect(() => {
    if (state.isSignedOut) {
      setState(FIRST_STATE);
      ended();
    }
  }, [state, ended]);
  return state;
}
