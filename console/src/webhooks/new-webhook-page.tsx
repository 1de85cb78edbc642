import { Anchor, Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/call.ts';
import card from '../design/card.module.css';
import { Failure } from '../design/failure.tsx';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useReread } from '../design/use-reread.ts';
import { useTexts } from '../language/language.ts';
import { parametersOf, type Receiver, ReceiverFields } from './receiver-fields.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { useWebhooks, type WebhookList } from './webhook-queries.ts';
import { webhookTexts } from './webhook-texts.ts';

/** Adds a webhook, and shows the secret of its signatures once. */
export default function NewWebhookPage(): ReactNode {
  const t = useTexts(webhookTexts);
  const list = useWebhooks();
  return (
    <Page title={t.addTitle} lead={t.lead}>
      <Anchor href="#/webhooks">{t.back}</Anchor>
      <Loaded query={list}>{({ types }) => <NewWebhook types={types} />}</Loaded>
    </Page>
  );
}

function NewWebhook({ types }: { readonly types: WebhookList['types'] }): ReactNode {
  const t = useTexts(webhookTexts);
  const reread = useReread();
  const [, open] = useLocation();
  const [name, setName] = useState('');
  const [receiver, setReceiver] = useState<Receiver>(() => ({
    url: '',
    events: types.map(({ type }) => type),
    realms: [],
  }));
  const [secret, setSecret] = useState<string>();
  const adding = useMutation({
    mutationFn: async () => {
      // Only the page has it, not the memory of requests.
      setSecret((await call('/admin/webhook/add', { name, ...parametersOf(receiver) })).secret);
      await reread(['webhooks']);
    },
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    adding.mutate();
  };
  return (
    <form className={card.form} onSubmit={submit}>
      <TextInput
        label={t.name}
        description={t.nameHint}
        required
        withAsterisk={false}
        autoComplete="off"
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value);
        }}
      />
      <ReceiverFields types={types} receiver={receiver} onChange={setReceiver} />
      <Failure error={adding.error} />
      <div>
        <Button type="submit" loading={adding.isPending} disabled={receiver.events.length === 0}>
          {t.save}
        </Button>
      </div>
      {secret !== undefined && (
        <SecretDialog
          secret={secret}
          onClose={() => {
            setSecret(undefined);
            open(`/webhooks/${encodeURIComponent(name)}`);
          }}
        />
      )}
    </form>
  );
}
