import { Checkbox, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { WithCode } from '../design/with-code.tsx';
import { useTexts } from '../language/language.ts';
import { useRealms } from '../realms/realm-queries.ts';
import type { WebhookList } from './webhook-queries.ts';
import { webhookTexts } from './webhook-texts.ts';

/** What is told to whom, as it is in a form. */
export interface Receiver {
  readonly url: string;
  readonly events: string[];
  /** Empty: all tokens. */
  readonly realms: string[];
}

/** @returns the parameters of the requests that add or change a webhook */
export function parametersOf({ url, events, realms }: Receiver): Readonly<Record<keyof Receiver, string>> {
  return { url, events: events.join(','), realms: realms.join(',') };
}

interface ReceiverFieldsProps {
  readonly types: WebhookList['types'];
  readonly receiver: Receiver;
  readonly onChange: (receiver: Receiver) => void;
}

/** Address, events and realms of a webhook. */
export function ReceiverFields({ types, receiver, onChange }: ReceiverFieldsProps): ReactNode {
  const t = useTexts(webhookTexts);
  return (
    <>
      <TextInput
        label={t.url}
        description={t.urlHint}
        type="url"
        placeholder="https://siem.example.com/tankeeper"
        required
        withAsterisk={false}
        autoComplete="off"
        value={receiver.url}
        onChange={(event) => {
          onChange({ ...receiver, url: event.currentTarget.value });
        }}
      />
      <EventChoice
        types={types}
        value={receiver.events}
        onChange={(events) => {
          onChange({ ...receiver, events });
        }}
      />
      <RealmChoice
        value={receiver.realms}
        onChange={(realms) => {
          onChange({ ...receiver, realms });
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
}: ChoiceProps & { readonly types: WebhookList['types'] }): ReactNode {
  const t = useTexts(webhookTexts);
  return (
    <Checkbox.Group label={t.events} value={value} onChange={onChange}>
      <Stack gap="xs" mt="xs">
        {types.map(({ type, meaning }) => (
          <Checkbox
            key={type}
            value={type}
            label={type}
            description={<WithCode text={t.eventMeanings[type] ?? meaning} />}
          />
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
