import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/language.ts';
import { designTexts } from './design-texts.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** The effect, in a sentence or two. */
  readonly children: ReactNode;
  /** The act, as a verb: `Remove token`. */
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly isRunning?: boolean;
  /** True while the act must not be confirmed yet. */
  readonly isDisabled?: boolean;
  readonly error?: Error | null;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks before an act that cannot be taken back. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { title, children, action, isDangerous = false, isRunning = false, error = null } = props;
  const t = useTexts(designTexts);
  return (
    <Dialog onClose={props.onCancel} title={title}>
      {children}
      <Failure error={error} />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={props.onCancel}>
          {t.cancel}
        </Button>
        <Button
          color={isDangerous ? 'red' : 'blue'}
          loading={isRunning}
          disabled={props.isDisabled ?? false}
          onClick={props.onConfirm}
        >
          {action}
        </Button>
      </Group>
    </Dialog>
  );
}
