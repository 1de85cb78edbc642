import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { waitBriefly } from './brief-wait.ts';

/**
 * @returns reads answers anew after an act, and resolves when they are there, after two seconds at the latest: the act
 *   was done, and must not seem to run for as long as the server is away since. Without a key: reads everything
 */
export function useReread(): (changes?: QueryKey) => Promise<void> {
  const queries = useQueryClient();
  return useCallback(
    (changes = []) => waitBriefly(queries.invalidateQueries({ queryKey: changes })),
    [queries],
  );
}
