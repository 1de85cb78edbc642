import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode, SyntheticEvent } from 'react';
import { Failure } from '../design/failure.tsx';
import { useTexts } from '../language/language.ts';
import { tokenTexts } from './token-texts.ts';

interface FormDialogProps {
  readonly title: string;
  readonly action: string;
  readonly isRunning: boolean;
  readonly error: Error | null;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog with fields. What was typed stays while the server refuses it, and is gone when the dialog closes. */
export function FormDialog(props: FormDialogProps): ReactNode {
  const { title, action, isRunning, error, onSubmit, onClose, children } = props;
  const t = useTexts(tokenTexts);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': t.close }}
    >
      <form onSubmit={submit}>
        <Stack>
          {children}
          <Failure error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t.cancel}
            </Button>
            <Button type="submit" loading={isRunning}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
