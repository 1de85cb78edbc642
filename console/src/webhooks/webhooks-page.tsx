import { Badge, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Card, Facts } from '../design/card.tsx';
import { LoadedCards } from '../design/loaded-cards.tsx';
import { Page } from '../design/page.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { isFailing, type ShownWebhook, useWebhooks } from './webhook-queries.ts';
import { webhookTexts } from './webhook-texts.ts';

/** Lists the webhooks with the numbers of their deliveries. */
export default function WebhooksPage(): ReactNode {
  const t = useTexts(webhookTexts);
  const list = useWebhooks(({ webhooks }) => webhooks);
  const mayChange = useSession().may('system', 'write');
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        mayChange && (
          <Button component="a" href="#/new-webhook">
            {t.add}
          </Button>
        )
      }
    >
      <LoadedCards label={t.title} query={list} none={t.none}>
        {(webhook) => <WebhookCard key={webhook.name} webhook={webhook} />}
      </LoadedCards>
    </Page>
  );
}

function WebhookCard({ webhook }: { readonly webhook: ShownWebhook }): ReactNode {
  const t = useTexts(webhookTexts);
  const format = useFormat();
  const { name, url, delivered, waiting, given_up: givenUp } = webhook;
  return (
    <Card
      title={name}
      badges={<WebhookBadges webhook={webhook} />}
      actions={
        <Button
          component="a"
          href={`#/webhooks/${encodeURIComponent(name)}`}
          variant="default"
          size="xs"
          aria-label={`${t.open}: ${name}`}
        >
          {t.open}
        </Button>
      }
    >
      <Facts
        facts={[
          [t.url, url],
          [t.delivered, format.number(delivered)],
          [t.waiting, format.number(waiting)],
          [t.givenUp, format.number(givenUp)],
        ]}
      />
    </Card>
  );
}

/** The state of a webhook in a word or two. */
export function WebhookBadges({ webhook }: { readonly webhook: ShownWebhook }): ReactNode {
  const t = useTexts(webhookTexts);
  return (
    <>
      <Badge variant="light" color={webhook.active ? 'green' : 'gray'}>
        {webhook.active ? t.enabled : t.disabled}
      </Badge>
      {isFailing(webhook) && (
        <Badge variant="light" color="red">
          {t.failing}
        </Badge>
      )}
    </>
  );
}
