import { useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { useSession } from './session.tsx';
import { makeSession } from './shown.ts';

/**
 * @returns the names of the realms in which a right of the scope admin holds, read anew where they are shown: realms are
 *   made and removed after the sign-in, here and by others. Until the answer, and without one: those of the sign-in
 */
export function useRealmsWith(action: string): readonly string[] {
  const session = useSession();
  const { data } = useQuery({
    queryKey: ['rights'],
    queryFn: async ({ signal }) => makeSession(await call('/admin/rights', {}, { signal })),
    staleTime: 0,
    // An answer with functions is not compared with the one before.
    structuralSharing: false,
  });
  return (data ?? session).realmsWith(action);
}
