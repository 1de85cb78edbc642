import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ServerFailure } from '../api/server-failure.ts';
import { isReadAgain, pauseBeforeNext } from './retries.ts';

/** Milliseconds for which an answer counts as fresh. */
const FRESH_MS = 5_000;

interface QueryOptions {
  /**
   * False while the pages are kept behind a sign-in: they ask nothing then. A query with an `enabled` of its own would
   * not heed that: `skipToken` stands where its function would.
   */
  readonly isOpen: () => boolean;
  /** Called when any request is refused as the login has ended. */
  readonly onSignedOut: () => void;
}

/** @returns the cache of the server's answers. Secrets must not be in it: use `call` for them */
export function createQueries({ isOpen, onSignedOut }: QueryOptions): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof ServerFailure && error.isSignedOut) {
      onSignedOut();
    }
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        enabled: isOpen,
        retry: isReadAgain,
        retryDelay: (count, error) => pauseBeforeNext(count, error, Math.random()),
        // The server may be reached where the browser sees no network, such as on the same machine.
        networkMode: 'always',
      },
      // A change that may have reached the server is not sent again, and none is kept back to be sent later.
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
