import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode, SyntheticEvent } from 'react';
import { useTexts } from '../language/language.ts';
import { designTexts } from './design-texts.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';

interface FormDialogProps {
  readonly title: string;
  /** The act, as a verb: `Save`. */
  readonly action: string;
  readonly isRunning: boolean;
  /** True while the act cannot be asked for. */
  readonly isDisabled?: boolean;
  /** Why it cannot, beside its button. */
  readonly reason?: string | undefined;
  readonly error: Error | null;
  /** Further buttons, before those of the dialog. */
  readonly others?: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog with fields. What was typed stays while the server refuses it, and is gone when the dialog closes. */
export function FormDialog(props: FormDialogProps): ReactNode {
  const {
    title,
    action,
    isRunning,
    isDisabled = false,
    reason,
    error,
    others,
    onSubmit,
    onClose,
    children,
  } = props;
  const t = useTexts(designTexts);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog title={title} closedBy="keys" onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          {children}
          <Failure error={error} />
          <Group justify="flex-end">
            {isDisabled && reason !== undefined && (
              <Text id="reason" size="sm">
                {reason}
              </Text>
            )}
            {others}
            <Button variant="default" onClick={onClose}>
              {t.cancel}
            </Button>
            <Button
              type="submit"
              loading={isRunning}
              disabled={isDisabled}
              aria-describedby={isDisabled ? 'reason' : undefined}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
