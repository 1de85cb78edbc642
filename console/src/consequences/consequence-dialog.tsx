import { Text } from '@mantine/core';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ConsequenceList } from './consequence-list.tsx';
import type { Consequence } from './consequence-words.ts';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { QueryFailure } from '../design/failure.tsx';
import { Loading } from '../design/loading.tsx';
import { useDialogAct } from '../design/use-dialog-act.ts';

interface ConsequenceDialogProps {
  readonly title: string;
  /** The effect, in a sentence. */
  readonly children: ReactNode;
  /** The act, as a verb. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** Names the act among all of the console. */
  readonly of: readonly string[];
  readonly foresee: (signal: AbortSignal) => Promise<readonly Consequence[]>;
  readonly act: () => Promise<unknown>;
  /** The queries that are read anew after the act. */
  readonly changes: QueryKey;
  /** Called by the person, or after the act. */
  readonly onClose: () => void;
}

/**
 * Asks before an act, with the consequences that the server names. Where it refuses to foretell, it refuses the act.
 */
export function ConsequenceDialog(props: ConsequenceDialogProps): ReactNode {
  const { title, children, action, isDangerous = true, of, foresee, act, changes, onClose } = props;
  const foretold = useQuery({
    queryKey: ['consequences', ...of],
    queryFn: ({ signal }) => foresee(signal),
    staleTime: 0,
    gcTime: 0,
  });
  const acting = useDialogAct({ title, act, changes, onDone: onClose });
  return (
    <ConfirmDialog
      title={title}
      action={action}
      isDangerous={isDangerous}
      isRunning={acting.isPending || foretold.isPending}
      error={acting.error}
      onConfirm={acting.run}
      onCancel={onClose}
    >
      <Text>{children}</Text>
      <QueryFailure query={foretold} />
      {foretold.isPending && <Loading />}
      {foretold.data !== undefined && <ConsequenceList list={foretold.data} />}
    </ConfirmDialog>
  );
}
