import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { useConfirmation } from './use-confirmation.tsx';

interface ConfirmedDialogProps {
  readonly title: string;
  /** What happens, in a sentence or two. */
  readonly children: ReactNode;
  /** The act, as a verb. */
  readonly action: string;
  readonly act: () => Promise<unknown>;
  /** Called after the act; the dialog is busy until it is over. */
  readonly onDone: () => unknown;
  readonly onCancel: () => void;
}

/** Asks before an act that removes something, which may take a confirmed login, too. */
export function ConfirmedDialog(props: ConfirmedDialogProps): ReactNode {
  const { title, children, action, act, onDone, onCancel } = props;
  const { run, dialog } = useConfirmation();
  const acting = useMutation({ mutationFn: () => run(act), onSuccess: () => onDone() });
  return (
    <>
      <ConfirmDialog
        isOpen
        title={title}
        action={action}
        isDangerous
        isRunning={acting.isPending}
        error={acting.error}
        onConfirm={() => {
          acting.mutate();
        }}
        onCancel={onCancel}
      >
        {children}
      </ConfirmDialog>
      {dialog}
    </>
  );
}

interface AskingButtonProps {
  readonly label: string;
  readonly isDangerous?: boolean;
  /** @returns the dialog that asks. @param close ends it */
  readonly children: (close: () => void) => ReactNode;
}

/** A button of an act that is asked about first. */
export function AskingButton({ label, isDangerous = false, children }: AskingButtonProps): ReactNode {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button
        {...(isDangerous ? { color: 'red' } : { variant: 'default' })}
        onClick={() => {
          setAsked(true);
        }}
      >
        {label}
      </Button>
      {isAsked &&
        children(() => {
          setAsked(false);
        })}
    </>
  );
}
