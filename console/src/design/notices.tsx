import { Alert, Anchor, Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useCallback, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useTexts } from '../language/language.ts';
import { designTexts } from './design-texts.ts';
import { Failure } from './failure.tsx';
import classes from './page.module.css';
import { useReread } from './use-reread.ts';

/** What an act has done. */
export interface Told {
  readonly text: string;
  /** True where the act ends with another page, on which it is still shown. */
  readonly leads?: boolean;
  /** The act that takes it back; left out: there is none. */
  readonly undo?: { readonly act: () => Promise<unknown>; readonly done: string } | undefined;
  /** The page of what usually comes next; left out: nothing does. */
  readonly next?: { readonly address: string; readonly text: string } | undefined;
}

const TellContext = createContext<(told: Told) => void>(() => undefined);

/** @returns a function that announces what an act has done, in place of what the one before it did */
export function useTell(): (told: Told) => void {
  return use(TellContext);
}

/** Announces the acts of the pages in it, one at a time, with a button for undoing where that is possible. */
export function Notices({ children }: { readonly children: ReactNode }): ReactNode {
  const [shown, setShown] = useState<Told & { readonly at: number }>();
  const [location] = useLocation();
  const tell = useCallback((told: Told) => {
    setShown({ ...told, at: Date.now() });
  }, []);
  const mutations = useQueryClient().getMutationCache();
  useEffect(
    () =>
      // What was done before does not stand beside what fails now; the failure of an undo stands in its notice.
      mutations.subscribe(({ type, mutation }) => {
        if (type === 'updated' && mutation.state.status === 'error' && mutation.meta?.undoes !== true) {
          setShown(undefined);
        }
      }),
    [mutations],
  );
  useEffect(() => {
    setShown((told) => (told?.leads === true ? { ...told, leads: false } : undefined));
  }, [location]);
  return (
    <TellContext value={tell}>
      <div aria-live="polite" className={classes.notices}>
        {shown !== undefined && (
          <Notice
            key={shown.at}
            told={shown}
            onClose={() => {
              setShown(undefined);
            }}
          />
        )}
      </div>
      {children}
    </TellContext>
  );
}

function Notice({
  told: { text, undo, next },
  onClose,
}: {
  readonly told: Told;
  readonly onClose: () => void;
}): ReactNode {
  const t = useTexts(designTexts);
  const tell = useTell();
  const reread = useReread();
  const undoing = useMutation({
    mutationFn: async () => undo?.act(),
    gcTime: 0,
    meta: { undoes: true },
    onSuccess: () => {
      tell({ text: undo?.done ?? '' });
      void reread();
    },
  });
  return (
    <Alert color="green" withCloseButton closeButtonLabel={t.close} onClose={onClose} mb="md" role="group">
      {undoing.error === null && text}{' '}
      {next !== undefined && <Anchor href={`#${next.address}`}>{next.text}</Anchor>}{' '}
      {undo !== undefined && (
        <Button
          size="compact-xs"
          variant="default"
          loading={undoing.isPending}
          onClick={() => {
            undoing.mutate();
          }}
        >
          {t.undo}
        </Button>
      )}
      <Failure error={undoing.error} />
    </Alert>
  );
}
