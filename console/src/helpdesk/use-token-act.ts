import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';

/**
 * A change of a token, after which the helpdesk's pages are read again.
 * @param act sends the change; what it holds is not kept
 */
export function useTokenAct<Result>(
  act: () => Promise<Result>,
  onSuccess?: (result: Result) => void,
): UseMutationResult<Result, Error, void> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    gcTime: 0,
    onSuccess: (result) => onSuccess?.(result),
    onSettled: () => queries.invalidateQueries({ queryKey: ['helpdesk'] }),
  });
}
