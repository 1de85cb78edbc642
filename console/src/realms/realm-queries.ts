import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call, type ValueOf } from '../api/call.ts';

/** A realm with its resolvers, in the order in which they are searched. */
export type ShownRealm = ValueOf<'/admin/realm/list'>[number];

/** A resolver with its settings by name, without its secret. */
export type ShownResolver = ValueOf<'/admin/resolver/list'>[number];

/** @returns the realms, by name */
export function useRealms(): UseQueryResult<readonly ShownRealm[]> {
  return useQuery({
    queryKey: ['realms'],
    queryFn: ({ signal }) => call('/admin/realm/list', {}, { signal }),
  });
}

/** @returns the resolvers, by name */
export function useResolvers(): UseQueryResult<readonly ShownResolver[]> {
  return useQuery({
    queryKey: ['resolvers'],
    queryFn: ({ signal }) => call('/admin/resolver/list', {}, { signal }),
  });
}
