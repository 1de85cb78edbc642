import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { call, type ValueOf } from '../api/call.ts';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { DialogBoundary } from '../design/dialog.tsx';
import { Failure } from '../design/failure.tsx';
import { useDialogAct } from '../design/use-dialog-act.ts';
import { useReread } from '../design/use-reread.ts';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { SecretDialog } from './secret-dialog.tsx';
import type { ShownWebhook } from './webhook-queries.ts';
import { webhookTexts } from './webhook-texts.ts';

/** Acts that are asked about first. */
type ActToConfirm = 'disable' | 'rotate' | 'remove';

/** Tests, repeats, switches, renews and removes a webhook. */
export function WebhookActs({ webhook }: { readonly webhook: ShownWebhook }): ReactNode {
  const t = useTexts(webhookTexts);
  const format = useFormat();
  const [act, setAct] = useState<ActToConfirm>();
  const { name, active } = webhook;
  const rereadAll = useReread();
  const reread = () => rereadAll(['webhooks']);
  const testing = useMutation({
    mutationFn: () => call('/admin/webhook/test', { name }),
    onSuccess: reread,
  });
  const retrying = useMutation({
    mutationFn: () => call('/admin/webhook/retry', { name }),
    onSuccess: reread,
  });
  const enabling = useMutation({
    mutationFn: () => call('/admin/webhook/enable', { name }),
    onSuccess: reread,
  });
  const ask = (toConfirm: ActToConfirm, label: string): ReactNode => (
    <Button
      variant="default"
      onClick={() => {
        setAct(toConfirm);
      }}
    >
      {label}
    </Button>
  );
  const run = (mutation: Pick<typeof testing, 'isPending'>, start: () => void, label: string): ReactNode => (
    <Button variant="default" loading={mutation.isPending} onClick={start}>
      {label}
    </Button>
  );
  return (
    <>
      <Group gap="xs">
        <Button component="a" href={`#/webhooks/${encodeURIComponent(name)}/edit`} variant="default">
          {t.edit}
        </Button>
        {run(testing, testing.mutate, t.test)}
        {run(retrying, retrying.mutate, t.retry)}
        {active ? ask('disable', t.disable) : run(enabling, enabling.mutate, t.enable)}
        {ask('rotate', t.rotate)}
        {ask('remove', t.remove)}
      </Group>
      <Failure error={testing.error ?? retrying.error ?? enabling.error} />
      {testing.data !== undefined && <TestResult test={testing.data} />}
      {retrying.data !== undefined && <Text role="status">{t.retried(format.number(retrying.data))}</Text>}
      <ActConfirmation
        webhook={webhook}
        act={act}
        onEnd={() => {
          setAct(undefined);
        }}
      />
    </>
  );
}

function TestResult({ test }: { readonly test: ValueOf<'/admin/webhook/test'> }): ReactNode {
  const t = useTexts(webhookTexts);
  const format = useFormat();
  return test.failure === null ? (
    <Alert color="green" role="status">
      {t.tested(test.status ?? 0, format.number(test.duration_ms))}
    </Alert>
  ) : (
    <Alert color="red" role="alert" title={t.notDelivered}>
      {test.failure}
    </Alert>
  );
}

interface ActConfirmationProps {
  readonly webhook: ShownWebhook;
  readonly act: ActToConfirm | undefined;
  readonly onEnd: () => void;
}

/** The act that is asked about, and the secret that it has made. */
function ActConfirmation({ webhook, act, onEnd }: ActConfirmationProps): ReactNode {
  const [secret, setSecret] = useState<string>();
  return (
    <>
      {act !== undefined && (
        <DialogBoundary onClose={onEnd}>
          <ActDialog {...{ webhook, act, onEnd }} onSecret={setSecret} />
        </DialogBoundary>
      )}
      {secret !== undefined && (
        <SecretDialog
          secret={secret}
          onClose={() => {
            setSecret(undefined);
          }}
        />
      )}
    </>
  );
}

interface ActDialogProps extends ActConfirmationProps {
  readonly act: ActToConfirm;
  /** Called with a new secret, also where the dialog was closed meanwhile: nobody can read it again. */
  readonly onSecret: (secret: string) => void;
}

function ActDialog({ webhook, act, onSecret, onEnd }: ActDialogProps): ReactNode {
  const t = useTexts(webhookTexts);
  const format = useFormat();
  const [, open] = useLocation();
  const { name, waiting, given_up: givenUp } = webhook;
  const dialogs = {
    disable: [t.disableTitle(name), t.disableText, t.disable],
    rotate: [t.rotateTitle(name), t.rotateText, t.rotate],
    remove: [t.removeTitle(name), t.removeText(format.number(waiting + givenUp)), t.remove],
  } as const;
  const [title, text, action] = dialogs[act];
  const acting = useDialogAct({
    title,
    act: async () => {
      if (act === 'rotate') {
        // Only the page has it, not the memory of requests.
        onSecret((await call('/admin/webhook/rotate-secret', { name })).secret);
      } else {
        await call(`/admin/webhook/${act}`, { name });
      }
    },
    changes: ['webhooks'],
    waits: false,
    onDone: () => {
      if (act === 'remove') {
        open('/webhooks');
      }
      onEnd();
    },
  });
  return (
    <ConfirmDialog
      title={title}
      action={action}
      isDangerous={act === 'remove'}
      isRunning={acting.isPending}
      error={acting.error}
      onConfirm={acting.run}
      onCancel={onEnd}
    >
      <Text>{text}</Text>
    </ConfirmDialog>
  );
}
