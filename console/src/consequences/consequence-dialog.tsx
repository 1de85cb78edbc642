import { Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ConsequenceItems } from './consequence-items.tsx';
import type { Consequence } from './consequence-words.ts';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { QueryFailure } from '../design/failure.tsx';
import { Loading } from '../design/loading.tsx';
import { type Texts, useTexts } from '../language/language.ts';

const texts: Texts<{ readonly follows: string; readonly nothing: string }> = {
  en: { follows: 'What follows:', nothing: 'Nothing else depends on it.' },
  de: { follows: 'Die Folgen:', nothing: 'Sonst hängt nichts davon ab.' },
};

/** The consequences as a list. */
export function Consequences({ list }: { readonly list: readonly Consequence[] }): ReactNode {
  const t = useTexts(texts);
  return list.length === 0 ? (
    <Text mt="sm">{t.nothing}</Text>
  ) : (
    <>
      <Text mt="sm">{t.follows}</Text>
      <ConsequenceItems list={list} />
    </>
  );
}

interface ConsequenceDialogProps {
  readonly title: string;
  /** What happens, in a sentence. */
  readonly children: ReactNode;
  /** The act, as a verb. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** Names the act among all of the console. */
  readonly of: readonly string[];
  readonly foresee: (signal: AbortSignal) => Promise<readonly Consequence[]>;
  readonly act: () => Promise<unknown>;
  /** Called after the act. */
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

/** Asks before an act, with the consequences that the server names. Where it refuses to foretell, it refuses the act. */
export function ConsequenceDialog(props: ConsequenceDialogProps): ReactNode {
  const { title, children, action, isDangerous = true, of, foresee, act, onDone, onCancel } = props;
  const foretold = useQuery({
    queryKey: ['consequences', ...of],
    queryFn: ({ signal }) => foresee(signal),
    staleTime: 0,
    gcTime: 0,
  });
  const acting = useMutation({ mutationFn: act, onSuccess: onDone });
  return (
    <ConfirmDialog
      isOpen
      title={title}
      action={action}
      isDangerous={isDangerous}
      isRunning={acting.isPending || foretold.isPending}
      error={acting.error}
      onConfirm={() => {
        acting.mutate();
      }}
      onCancel={onCancel}
    >
      <Text>{children}</Text>
      <QueryFailure query={foretold} />
      {foretold.isPending && <Loading />}
      {foretold.data !== undefined && <Consequences list={foretold.data} />}
    </ConfirmDialog>
  );
}
