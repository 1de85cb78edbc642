import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ServerFailure } from '../api/server-failure.ts';
import { isOfLogin } from '../session/login-queries.ts';

/** Milliseconds for which an answer counts as fresh. */
const FRESH_MS = 5_000;
const MOST_RETRIES = 3;

/**
 * @param onSignedOut called when any request is refused as the login has ended
 * @returns the cache of the server's answers. Secrets must not be in it: use `call` for them
 */
export function createQueries(onSignedOut: () => void): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof ServerFailure && error.isSignedOut) {
      onSignedOut();
    }
  };
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (isOfLogin(query)) {
          onError(error);
        }
      },
    }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (count, error) => count < MOST_RETRIES && error instanceof ServerFailure && error.isAway,
      },
      // A change that may have reached the server is not sent again.
      mutations: { retry: false },
    },
  });
}
