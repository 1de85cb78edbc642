import { type QueryKey, useMutation } from '@tanstack/react-query';
import { useTexts } from '../language/language.ts';
import { designTexts } from './design-texts.ts';
import { useTell } from './notices.tsx';
import { useReread } from './use-reread.ts';

interface DialogAct {
  /** What is announced after the act: the title of the dialog; left out: nothing. */
  readonly title?: string | undefined;
  readonly act: () => Promise<unknown>;
  /** The queries that are read anew after the act, also where the dialog was closed meanwhile; left out: everything. */
  readonly changes?: QueryKey | undefined;
  /**
   * False where the dialog does not stay until that is read: the page may be gone with it. Else the focus can go back
   * to what is left of the page.
   */
  readonly waits?: boolean | undefined;
  /** Called at the end, but not once the dialog was closed: another one may be open there, or another page. */
  readonly onDone: () => void;
}

/** @returns the act of a dialog. What it sends is not kept */
export function useDialogAct({ title, act, changes = [], waits = true, onDone }: DialogAct): {
  readonly run: () => void;
  readonly isPending: boolean;
  readonly error: Error | null;
} {
  const t = useTexts(designTexts);
  const tell = useTell();
  const reread = useReread();
  const { mutate, isPending, error } = useMutation({
    mutationFn: act,
    gcTime: 0,
    onSuccess: () => {
      if (title !== undefined) {
        tell({ text: t.done(title), leads: !waits });
      }
    },
    onSettled: (_result, failure) => {
      const pages = reread(changes);
      // A server that is away would hold the failure back.
      return failure === null && waits ? pages : undefined;
    },
  });
  const run = (): void => {
    mutate(undefined, { onSuccess: onDone });
  };
  return { run, isPending, error };
}
