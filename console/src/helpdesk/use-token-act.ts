import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Told, useTell } from '../design/notices.tsx';
import { useReread } from '../design/use-reread.ts';

/**
 * A change of a token, after which the helpdesk's pages are read again.
 * @param act sends the change; what it holds is not kept
 * @param onSuccess not called once its place has left the page: another dialog may be open there. Called before the
 *   pages are read again, unlike a callback of `mutate`: what it leaves may be gone then
 * @param told what is announced, also once its place has left the page
 */
export function useTokenAct<Result>(
  act: () => Promise<Result>,
  onSuccess?: (result: Result) => void,
  told?: Told,
): UseMutationResult<Result, Error, void> {
  const reread = useReread();
  const tell = useTell();
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  return useMutation({
    mutationFn: act,
    gcTime: 0,
    onSuccess: (result) => {
      if (told !== undefined) {
        tell(told);
      }
      if (isThere.current) {
        onSuccess?.(result);
      }
    },
    onSettled: (_result, error) => {
      const pages = reread(['helpdesk']);
      // A server that is away would hold the failure back.
      return error === null ? pages : undefined;
    },
  });
}
