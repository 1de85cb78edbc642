import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call, type ValueOf } from '../api/call.ts';

export type ListedAdministrator = ValueOf<'/admin/admin/list'>[number];

/** @returns the administrators by name */
export function useAdministrators(): UseQueryResult<readonly ListedAdministrator[]> {
  return useQuery({
    queryKey: ['administrators'],
    queryFn: ({ signal }) => call('/admin/admin/list', {}, { signal }),
  });
}
