import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call, type ValueOf } from '../api/call.ts';

/** A realm with its resolvers, in the order in which they are searched. */
export type ShownRealm = ValueOf<'/admin/realm/list'>[number];

/** A resolver with its settings by name, without its secret. */
export type ShownResolver = ValueOf<'/system/getResolvers'>[string];

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
    queryFn: async ({ signal }) => sorted(Object.values(await call('/system/getResolvers', {}, { signal }))),
  });
}

function sorted<Named extends { readonly name: string }>(named: readonly Named[]): readonly Named[] {
  return named.toSorted((one, other) => one.name.localeCompare(other.name));
}
