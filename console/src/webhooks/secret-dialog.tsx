import { Button, Code, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyTextButton } from '../design/copy-text-button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { useTexts } from '../language/language.ts';
import { webhookTexts } from './webhook-texts.ts';

interface SecretDialogProps {
  readonly secret: string;
  /** Called when it is no longer needed; the caller then forgets it. */
  readonly onClose: () => void;
}

/** Shows a secret once. It closes by its button alone, as a click beside it would lose the secret. */
export function SecretDialog({ secret, onClose }: SecretDialogProps): ReactNode {
  const t = useTexts(webhookTexts);
  return (
    <Dialog title={t.secretTitle} closedBy="nothing" onClose={onClose}>
      <Text>{t.secretText}</Text>
      <Code block mt="sm" tabIndex={0} aria-label={t.secretTitle}>
        {secret}
      </Code>
      <Group justify="flex-end" mt="md">
        <CopyTextButton text={secret} />
        <Button onClick={onClose}>{t.secretKept}</Button>
      </Group>
    </Dialog>
  );
}
