import { Anchor, Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { call } from '../api/call.ts';
import card from '../design/card.module.css';
import { Failure } from '../design/failure.tsx';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useReread } from '../design/use-reread.ts';
import { useTexts } from '../language/language.ts';
import { parametersOf, type Receiver, ReceiverFields } from './receiver-fields.tsx';
import { type ShownWebhook, useWebhooks, type WebhookList } from './webhook-queries.ts';
import { webhookTexts } from './webhook-texts.ts';

/** Changes a webhook; the secret of its signatures stays. */
export default function EditWebhookPage(): ReactNode {
  const t = useTexts(webhookTexts);
  const { name } = useParams<{ name: string }>();
  const list = useWebhooks();
  return (
    <Page title={t.editTitle(name)} lead={t.editLead}>
      <Anchor href={`#/webhooks/${encodeURIComponent(name)}`}>{name}</Anchor>
      <Loaded query={list}>
        {({ webhooks, types }) => {
          const webhook = webhooks.find((one) => one.name === name);
          return webhook === undefined ? (
            <Text>{t.unknown(name)}</Text>
          ) : (
            <EditWebhook webhook={webhook} types={types} />
          );
        }}
      </Loaded>
    </Page>
  );
}

interface EditWebhookProps {
  readonly webhook: ShownWebhook;
  readonly types: WebhookList['types'];
}

function EditWebhook({ webhook, types }: EditWebhookProps): ReactNode {
  const t = useTexts(webhookTexts);
  const reread = useReread();
  const [, open] = useLocation();
  const { name } = webhook;
  // As it was read first: what others change meanwhile must not take the place of what is typed.
  const [known] = useState<Receiver>(() => ({
    url: webhook.url,
    events: [...webhook.events],
    realms: [...webhook.realms],
  }));
  const [receiver, setReceiver] = useState(known);
  const saving = useMutation({
    mutationFn: async () => {
      await call('/admin/webhook/set', { name, ...changedParts(known, receiver) });
      await reread(['webhooks']);
      open(`/webhooks/${encodeURIComponent(name)}`);
    },
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <form className={card.form} onSubmit={submit}>
      <ReceiverFields types={types} receiver={receiver} onChange={setReceiver} />
      <Failure error={saving.error} />
      <div>
        <Button type="submit" loading={saving.isPending} disabled={receiver.events.length === 0}>
          {t.saveChange}
        </Button>
      </div>
    </form>
  );
}

/** @returns the parameters that were changed: others may have changed the rest meanwhile */
function changedParts(known: Receiver, receiver: Receiver): Readonly<Record<string, string>> {
  const before = parametersOf(known);
  const parameters = Object.entries(parametersOf(receiver));
  return Object.fromEntries(
    parameters.filter(([part, value]) => value !== before[part as keyof typeof before]),
  );
}
