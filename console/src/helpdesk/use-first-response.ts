import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useRef } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { ServerFailure } from '../api/server-failure.ts';
import { useWatchedTransaction, type WatchedTransaction } from '../challenges/watch-transaction.ts';
import { useSession } from '../session/session.tsx';

/** What has come of the first response. `fallen`: too many were wrong, and the activation code is asked for again. */
export type FirstResponse =
  | { readonly kind: 'waiting'; readonly wrong: number; readonly failure: Error | null }
  | { readonly kind: 'accepted' | 'fallen' };

/** Milliseconds between two looks at the token, where no change of the transaction leads to one. */
const LOOK_MS = 2_000;

type RollOut = ValueOf<'/admin/token'>['token']['rollout'];

/** @returns the state of the roll-out's first transaction, as it changes */
export function useFirstResponse(serial: string, transactionId: string): FirstResponse {
  const mayWatch = useSession().may('ocra', 'status');
  const watched = useWatchedTransaction(mayWatch ? transactionId : null);
  const wrong = useWrongResponses(watched);
  const rollOut = useRollOut(serial, watched);
  if (isOver(rollOut.data)) {
    return { kind: rollOut.data === 'complete' ? 'accepted' : 'fallen' };
  }
  return { kind: 'waiting', wrong, failure: rollOut.error ?? rollOut.failureReason ?? awayOf(watched) };
}

/** @returns the wrong responses of the token since the transaction was first seen */
function useWrongResponses({ status }: WatchedTransaction): number {
  const first = useRef<number>(undefined);
  first.current ??= status?.failcount;
  return status === undefined ? 0 : Math.max(0, status.failcount - (first.current ?? 0));
}

/** Looks at the token after each change of the transaction, and now and then where no change can be seen. */
function useRollOut(
  serial: string,
  { status, isClosed, failure }: WatchedTransaction,
): UseQueryResult<RollOut> {
  const isFollowed = status !== undefined && !isClosed && failure === null;
  return useQuery({
    queryKey: ['helpdesk', 'roll-out', serial, status?.failcount, isClosed],
    queryFn: async ({ signal }) => (await call('/admin/token', { serial }, { signal })).token.rollout,
    refetchInterval: ({ state }) => (isFollowed || isOver(state.data) ? false : LOOK_MS),
    staleTime: 0,
    gcTime: 0,
  });
}

function isOver(rollOut: RollOut | undefined): boolean {
  return rollOut === 'complete' || rollOut === 'phase1';
}

/** A caller without the right to the transaction looks at the token alone. */
function awayOf({ failure }: WatchedTransaction): Error | null {
  return failure instanceof ServerFailure && failure.isAway ? failure : null;
}
