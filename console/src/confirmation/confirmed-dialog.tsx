import { Button } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { DialogBoundary } from '../design/dialog.tsx';
import { useDialogAct } from '../design/use-dialog-act.ts';
import { useConfirmation } from './use-confirmation.tsx';

interface ConfirmedDialogProps {
  readonly title: string;
  /** The effect, in a sentence or two. */
  readonly children: ReactNode;
  /** The act, as a verb. */
  readonly action: string;
  readonly act: () => Promise<unknown>;
  /** The queries that are read anew after the act; left out: everything. */
  readonly changes?: QueryKey;
  /** False where the act ends with another page. */
  readonly waits?: boolean;
  /** Called after the act, unless the dialog was closed meanwhile; left out: as `onCancel`. */
  readonly onDone?: () => void;
  readonly onCancel: () => void;
}

/** Asks before an act that removes something, which may take a confirmed login, too. */
export function ConfirmedDialog(props: ConfirmedDialogProps): ReactNode {
  const { title, children, action, act, changes, waits, onCancel, onDone = onCancel } = props;
  const { run, dialog } = useConfirmation();
  const acting = useDialogAct({ title, act: () => run(act), changes, waits, onDone });
  return (
    <>
      <ConfirmDialog
        title={title}
        action={action}
        isDangerous
        isRunning={acting.isPending}
        error={acting.error}
        onConfirm={acting.run}
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
  readonly size?: 'xs' | 'sm';
  /**
   * @returns the dialog that asks
   * @param close ends it
   */
  readonly children: (close: () => void) => ReactNode;
}

/** A button of an act that is asked about first. */
export function AskingButton({
  label,
  isDangerous = false,
  size = 'sm',
  children,
}: AskingButtonProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
  };
  return (
    <>
      <Button
        size={size}
        {...(isDangerous ? { color: 'red' } : { variant: 'default' })}
        onClick={() => {
          setOpen(true);
        }}
      >
        {label}
      </Button>
      {isOpen && <DialogBoundary onClose={close}>{children(close)}</DialogBoundary>}
    </>
  );
}
