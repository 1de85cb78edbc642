import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { callUnlessKnown, type ValueOf } from '../api/call.ts';
import { ServerFailure } from '../api/server-failure.ts';
import { pauseAfter } from '../shell/retries.ts';

/** The value of the overview. */
export type Overview = ValueOf<'/admin/installation/overview'>;

/** An answer, with the tag by which the server knows it. */
interface TaggedOverview {
  readonly tag: string | null;
  readonly overview: Overview;
}

/** The overview as it changes, and whether it is the present one. */
export interface ShownOverview {
  /** Undefined: nothing has arrived yet. The last one stays while the server is away. */
  readonly overview: Overview | undefined;
  /**
   * `connecting`: for the first time; `live`; `lost`: the server does not answer; `unavailable`: it answers, but cannot
   * read its state.
   */
  readonly connection: 'connecting' | 'live' | 'lost' | 'unavailable';
  /** Milliseconds since 1970 at which it was the present one for the last time; 0: never. */
  readonly since: number;
}

/** Milliseconds between two questions. None is asked while the page is hidden. */
const POLL_MS = 5_000;
const KEY = ['overview'];

/** @returns the overview, for which the server is asked again and again as long as a page shows it */
export function useOverview(): ShownOverview {
  const query = useQuery({
    queryKey: KEY,
    queryFn: async ({ client, signal }): Promise<TaggedOverview> => {
      const known = client.getQueryData<TaggedOverview>(KEY);
      const answer = await callUnlessKnown('/admin/installation/overview', known?.tag ?? undefined, signal);
      if (answer !== undefined) {
        return { tag: answer.tag, overview: answer.value };
      }
      if (known === undefined) {
        throw new ServerFailure('HTTP 304', { status: 304 });
      }
      return known;
    },
    refetchInterval: ({ state: { error } }) =>
      error instanceof ServerFailure && error.isSignedOut ? false : POLL_MS,
    retryDelay: (failures) => pauseAfter(failures + 1, Math.random()),
  });
  return { overview: query.data?.overview, connection: connectionOf(query), since: query.dataUpdatedAt };
}

/** Between two attempts, only the last failure tells that the server is away. */
function connectionOf({
  data,
  error,
  failureReason,
}: Pick<UseQueryResult, 'data' | 'error' | 'failureReason'>): ShownOverview['connection'] {
  const failure = failureReason ?? error;
  if (failure === null) {
    return data === undefined ? 'connecting' : 'live';
  }
  return failure instanceof ServerFailure && failure.code !== undefined ? 'unavailable' : 'lost';
}
