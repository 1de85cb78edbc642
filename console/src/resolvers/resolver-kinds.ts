import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { ResolverKind } from './resolver-draft.ts';

/** @returns the kinds of resolvers; they change with the server's version only */
export function useResolverKinds(): UseQueryResult<readonly ResolverKind[]> {
  return useQuery({
    queryKey: ['resolver-kinds'],
    queryFn: ({ signal }) => call('/system/resolverKinds', {}, { signal }),
    staleTime: Infinity,
  });
}
