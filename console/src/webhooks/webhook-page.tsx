import { Anchor, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useParams } from 'wouter';
import { Facts } from '../design/card.tsx';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookActs } from './webhook-acts.tsx';
import { type ShownWebhook, useWebhooks } from './webhook-queries.ts';
import { webhookTexts } from './webhook-texts.ts';
import { WebhookBadges } from './webhooks-page.tsx';

/** Shows one webhook with its deliveries. */
export default function WebhookPage(): ReactNode {
  const t = useTexts(webhookTexts);
  const { name } = useParams<{ name: string }>();
  const list = useWebhooks();
  return (
    <Page title={name}>
      <Anchor href="#/webhooks">{t.back}</Anchor>
      <Loaded query={list}>
        {({ webhooks, types }) => {
          const webhook = webhooks.find((one) => one.name === name);
          return webhook === undefined ? (
            <Text>{t.unknown(name)}</Text>
          ) : (
            <OneWebhook webhook={webhook} types={types.length} />
          );
        }}
      </Loaded>
    </Page>
  );
}

interface OneWebhookProps {
  readonly webhook: ShownWebhook;
  /** The number of all types of events. */
  readonly types: number;
}

function OneWebhook({ webhook, types }: OneWebhookProps): ReactNode {
  const mayChange = useSession().may('system', 'write');
  return (
    <>
      <Group gap="xs">
        <WebhookBadges webhook={webhook} />
      </Group>
      <State webhook={webhook} types={types} />
      {mayChange && <WebhookActs webhook={webhook} />}
      <Deliveries name={webhook.name} />
    </>
  );
}

function State({ webhook, types }: OneWebhookProps): ReactNode {
  const t = useTexts(webhookTexts);
  const format = useFormat();
  const { url, events, realms, is_public_only: isPublicOnly, delivered, waiting } = webhook;
  const {
    given_up: givenUp,
    created_at: created,
    oldest_waiting_at: oldest,
    last_success_at: success,
    last_failure_at: failedAt,
    last_failure: reason,
  } = webhook;
  return (
    <Facts
      facts={[
        [t.url, url],
        [t.events, events.length === types ? t.allEvents : events.join(', ')],
        [t.realms, realms.length === 0 ? t.allRealms : realms.join(', ')],
        [t.reach, isPublicOnly ? t.bounded : t.unbounded],
        [t.created, format.time(created)],
        [t.delivered, format.number(delivered)],
        [t.waiting, `${format.number(waiting)}${oldest === null ? '' : `, ${t.since(format.time(oldest))}`}`],
        [t.givenUp, format.number(givenUp)],
        [t.lastSuccess, format.time(success)],
        [t.lastFailure, failedAt === null ? '–' : t.failure(reason, format.time(failedAt))],
      ]}
    />
  );
}
