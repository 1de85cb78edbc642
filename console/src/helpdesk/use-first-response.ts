import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useRef } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { ServerFailure } from '../api/server-failure.ts';
import { useWatchedTransaction, type WatchedTransaction } from '../challenges/watch-transaction.ts';
import { useSession } from '../session/session.tsx';

/**
 * The outcome of the first response. `fallen`: too many were wrong, and the activation code is asked for again.
 * `ended`: the transaction takes none any more, and the roll-out waits for another one.
 */
export type FirstResponse =
  | { readonly kind: 'waiting'; readonly wrong: number; readonly failure: Error | null }
  | { readonly kind: 'accepted' | 'fallen' | 'ended' };

/** Milliseconds between two readings of the token, where no change of the transaction leads to one. */
const POLL_MS = 2_000;
/** Readings of the token after the end of the transaction: what has ended it may be stored a moment later. */
const LAST_READS = 3;

/** The roll-out as it was seen. */
interface RollOutReading {
  readonly state: ValueOf<'/admin/token/show'>['rollout'];
  /** The readings since the transaction is closed, with this one. */
  readonly sinceClosed: number;
}

/** @returns the state of the roll-out's first transaction, as it changes */
export function useFirstResponse(serial: string, transactionId: string): FirstResponse {
  const mayWatch = useSession().may('ocra', 'status');
  const watched = useWatchedTransaction(mayWatch ? transactionId : null);
  const wrong = useWrongResponses(watched);
  const rollOut = useRollOut(serial, watched);
  if (isOver(rollOut.data)) {
    return { kind: rollOut.data.state === 'complete' ? 'accepted' : 'fallen' };
  }
  if (isLast(rollOut.data)) {
    return { kind: 'ended' };
  }
  return { kind: 'waiting', wrong, failure: rollOut.error ?? rollOut.failureReason ?? awayOf(watched) };
}

/** @returns the wrong responses of the token since the transaction was first seen */
function useWrongResponses({ status }: WatchedTransaction): number {
  const first = useRef<number>(undefined);
  first.current ??= status?.failcount;
  return status === undefined ? 0 : Math.max(0, status.failcount - (first.current ?? 0));
}

/** Reads the token after each change of the transaction, and now and then where no change can be seen. */
function useRollOut(
  serial: string,
  { status, isClosed, failure }: WatchedTransaction,
): UseQueryResult<RollOutReading> {
  const isFollowed = status !== undefined && !isClosed && failure === null;
  return useQuery<RollOutReading>({
    queryKey: ['helpdesk', 'roll-out', serial, status?.failcount, isClosed],
    queryFn: async ({ client, queryKey, signal }) => {
      const token = await call('/admin/token/show', { serial }, { signal });
      const before = client.getQueryData<RollOutReading>(queryKey)?.sinceClosed ?? 0;
      return { state: token.rollout, sinceClosed: isClosed ? before + 1 : 0 };
    },
    refetchInterval: ({ state: { data } }) => (isFollowed || isOver(data) || isLast(data) ? false : POLL_MS),
    staleTime: 0,
    gcTime: 0,
  });
}

function isOver(reading: RollOutReading | undefined): reading is RollOutReading {
  return reading?.state === 'complete' || reading?.state === 'phase1';
}

function isLast(reading: RollOutReading | undefined): boolean {
  return reading !== undefined && reading.sinceClosed >= LAST_READS;
}

/** A caller without the right to the transaction reads the token alone. */
function awayOf({ failure }: WatchedTransaction): Error | null {
  return failure instanceof ServerFailure && failure.isAway ? failure : null;
}
