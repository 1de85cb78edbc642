import { Anchor, Button, Checkbox, Stack, TextInput } from '@mantine/core';
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
import { useRealms } from '../realms/realm-queries.ts';
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
      <Loaded query={list}>{({ event_types: types }) => <NewWebhook types={types} />}</Loaded>
    </Page>
  );
}

function NewWebhook({ types }: { readonly types: WebhookList['event_types'] }): ReactNode {
  const t = useTexts(webhookTexts);
  const reread = useReread();
  const [, open] = useLocation();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState(() => types.map(({ type }) => type));
  const [chosen, setChosen] = useState<string[]>([]);
  const [secret, setSecret] = useState<string>();
  const adding = useMutation({
    mutationFn: async () => {
      const receiver = { name, url, events: events.join(','), realms: chosen.join(',') };
      // Only the page has it, not the memory of requests.
      setSecret((await call('/system/webhooks/add', receiver)).secret);
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
      <NameAndAddress {...{ name, setName, url, setUrl }} />
      <EventChoice types={types} value={events} onChange={setEvents} />
      <RealmChoice value={chosen} onChange={setChosen} />
      <Failure error={adding.error} />
      <div>
        <Button type="submit" loading={adding.isPending} disabled={events.length === 0}>
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

interface NameAndAddressProps {
  readonly name: string;
  readonly setName: (name: string) => void;
  readonly url: string;
  readonly setUrl: (url: string) => void;
}

function NameAndAddress({ name, setName, url, setUrl }: NameAndAddressProps): ReactNode {
  const t = useTexts(webhookTexts);
  return (
    <>
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
      <TextInput
        label={t.url}
        description={t.urlHint}
        type="url"
        placeholder="https://siem.example.com/tankeeper"
        required
        withAsterisk={false}
        autoComplete="off"
        value={url}
        onChange={(event) => {
          setUrl(event.currentTarget.value);
        }}
      />
    </>
  );
}

interface ChoiceProps {
  readonly value: string[];
  readonly onChange: (value: string[]) => void;
}

function EventChoice({
  types,
  value,
  onChange,
}: ChoiceProps & { readonly types: WebhookList['event_types'] }): ReactNode {
  const t = useTexts(webhookTexts);
  return (
    <Checkbox.Group label={t.events} value={value} onChange={onChange}>
      <Stack gap="xs" mt="xs">
        {types.map(({ type, meaning }) => (
          <Checkbox key={type} value={type} label={type} description={t.eventMeanings[type] ?? meaning} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

function RealmChoice({ value, onChange }: ChoiceProps): ReactNode {
  const t = useTexts(webhookTexts);
  const { data: realms = [] } = useRealms();
  return (
    realms.length > 0 && (
      <Checkbox.Group label={t.realms} description={t.realmsHint} value={value} onChange={onChange}>
        <Stack gap="xs" mt="xs">
          {realms.map(({ name }) => (
            <Checkbox key={name} value={name} label={name} />
          ))}
        </Stack>
      </Checkbox.Group>
    )
  );
}
