import { z } from 'zod';
import type { Services } from '../../../services.ts';
import { EVENT_TYPES } from '../../../webhooks/webhook-event.ts';
import type { WebhookTest } from '../../../webhooks/webhook-service.ts';
import type { PendingDelivery, WebhookWithState } from '../../../webhooks/webhook.ts';
import { count, type Shown, timeOf } from '../../answers.ts';
import { type Endpoint, plainChange, valueChange, valueReading } from '../../endpoint-spec.ts';
import { blankAsUndefined, optional, required } from '../../request/parameters.ts';
import { splitList } from '../../../kernel/text.ts';

const NAME = required('the name of the webhook', 'siem');
const time = z.iso.datetime();

const SHOWN_WEBHOOK = z.strictObject({
  name: z.string(),
  url: z.string().describe('the origin alone for those who may not change webhooks'),
  events: z.array(z.string()),
  realms: z.array(z.string()).describe('empty: all tokens'),
  enabled: z.boolean(),
  bounded: z.boolean().describe('added over HTTP: only at a public address'),
  created: time,
  waiting: count,
  oldest: time.nullable().describe('the time of the oldest that waits'),
  given_up: count,
  delivered: count,
  last_success: time.nullable(),
  last_failure_at: time.nullable(),
  last_failure: z.string(),
});

const DELIVERY = z.strictObject({
  event: z.string(),
  type: z.string(),
  occurred: time,
  attempts: count,
  next_attempt: time.nullable().describe('null: it was given up'),
  given_up: time.nullable(),
  last_failure: z.string(),
});

const TESTED = z.strictObject({
  delivered: z.boolean(),
  status: z.int().nullable().describe('the HTTP status of the answer; null: there was none'),
  reason: z.string().nullable().describe('null: it was delivered'),
  duration_ms: count,
  event: z.string(),
});

const LIST = {
  value: z.strictObject({
    webhooks: z.array(SHOWN_WEBHOOK),
    event_types: z.array(z.strictObject({ type: z.string(), meaning: z.string() })),
  }),
  example: {
    webhooks: [
      {
        name: 'siem',
        url: 'https://siem.example.com/tankeeper',
        events: ['token.locked'],
        realms: [],
        enabled: true,
        bounded: true,
        created: '2026-11-20T12:00:00.000Z',
        waiting: 1,
        oldest: '2026-11-21T09:30:00.000Z',
        given_up: 0,
        delivered: 17,
        last_success: '2026-11-21T08:00:00.000Z',
        last_failure_at: '2026-11-21T09:30:01.000Z',
        last_failure: 'HTTP 500',
      },
    ],
    event_types: [{ type: 'token.locked', meaning: EVENT_TYPES['token.locked'] }],
  },
};

/** The secret of a webhook, which is never shown again. */
const SECRET = {
  value: z.strictObject({ secret: z.string() }),
  example: { secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' },
};

export function webhookEndpoints(operations: Pick<Services, 'webhooks'>): Endpoint[] {
  return [
    ...readingParts(operations),
    ...secretParts(operations),
    changePart(operations),
    ...switchParts(operations),
    ...deliveryParts(operations),
  ];
}

function readingParts({ webhooks }: Pick<Services, 'webhooks'>): Endpoint[] {
  return [
    valueReading(
      {
        path: '/system/webhooks',
        summary: 'the webhooks with the numbers of their deliveries, and the types of events',
        ...LIST,
        parameters: {},
      },
      async ({ caller }) => ({
        webhooks: (await webhooks.list(caller)).map(shownWebhook),
        event_types: Object.entries(EVENT_TYPES).map(([type, meaning]) => ({ type, meaning })),
      }),
    ),
    valueReading(
      {
        path: '/system/webhooks/deliveries',
        summary: 'the latest deliveries of a webhook that wait or were given up, newest first, 100 at most',
        value: z.array(DELIVERY),
        example: [
          {
            event: '3a4f0c4e-9f0b-4d6a-8f2e-0d5f6f0c1b2a',
            type: 'token.locked',
            occurred: '2026-11-21T09:30:00.000Z',
            attempts: 3,
            next_attempt: '2026-11-21T09:32:10.000Z',
            given_up: null,
            last_failure: 'HTTP 500',
          },
        ],
        parameters: { name: NAME },
      },
      async ({ parameters: { name } }) => (await webhooks.deliveries(name)).map(shownDelivery),
    ),
  ];
}

function secretParts({ webhooks }: Pick<Services, 'webhooks'>): Endpoint[] {
  return [
    valueChange(
      {
        path: '/system/webhooks/add',
        summary: 'adds a webhook at a public address; the answer has the secret of its signatures, this once',
        ...SECRET,
        parameters: {
          name: NAME,
          url: required('where the events go', 'https://siem.example.com/tankeeper'),
          events: optional('a comma list of types; default: all', 'token.locked'),
          realms: optional('only events of tokens in these realms, a comma list; default: all', 'customers'),
        },
      },
      async ({ caller, parameters: { name, url, events = '', realms = '' } }) => {
        const requested = splitList(events);
        const secret = await webhooks.add(caller, {
          name,
          url: url.trim(),
          events: requested.length === 0 ? undefined : requested,
          realms: splitList(realms),
        });
        return { secret };
      },
    ),
    valueChange(
      {
        path: '/system/webhooks/rotate-secret',
        summary: 'makes a new secret, which the answer has this once; the one before signs, too, for a day',
        ...SECRET,
        parameters: { name: NAME },
      },
      async ({ caller, parameters: { name } }) => ({ secret: await webhooks.replaceSecret(caller, name) }),
    ),
  ];
}

function changePart({ webhooks }: Pick<Services, 'webhooks'>): Endpoint {
  return plainChange(
    {
      path: '/system/webhooks/set',
      summary:
        'changes address, events or realms of a webhook; what is not given stays, and so does the secret',
      parameters: {
        name: NAME,
        url: optional('where the events go', 'https://siem.example.com/tankeeper'),
        events: optional('a comma list of types', 'token.locked'),
        realms: optional('only events of tokens in these realms, a comma list; empty: of all', 'customers'),
      },
    },
    ({ caller, parameters: { name, url, events, realms } }) =>
      webhooks.change(caller, name, {
        url: blankAsUndefined(url)?.trim(),
        events: events === undefined ? undefined : splitList(events),
        realms: realms === undefined ? undefined : splitList(realms),
      }),
  );
}

function switchParts({ webhooks }: Pick<Services, 'webhooks'>): Endpoint[] {
  return (['enable', 'disable'] as const).map((verb) =>
    plainChange(
      {
        path: `/system/webhooks/${verb}`,
        summary:
          verb === 'enable'
            ? 'sends to a webhook again, first the deliveries that wait'
            : 'sends nothing to a webhook: waiting deliveries stay, new events are left out',
        parameters: { name: NAME },
      },
      ({ caller, parameters: { name } }) => webhooks.enable(caller, name, verb === 'enable'),
    ),
  );
}

function deliveryParts({ webhooks }: Pick<Services, 'webhooks'>): Endpoint[] {
  return [
    valueChange(
      {
        path: '/system/webhooks/test',
        summary: 'sends a signed event `webhook.test` now, once',
        value: TESTED,
        example: {
          delivered: false,
          status: 404,
          reason: 'HTTP 404',
          duration_ms: 12,
          event: '3a4f0c4e-9f0b-4d6a-8f2e-0d5f6f0c1b2a',
        },
        parameters: { name: NAME },
      },
      async ({ caller, parameters: { name } }) => shownTest(await webhooks.test(caller, name)),
    ),
    valueChange(
      {
        path: '/system/webhooks/retry',
        summary: 'makes all deliveries due now, also those that were given up; their number',
        value: count,
        parameters: { name: NAME },
      },
      ({ caller, parameters: { name } }) => webhooks.retry(caller, name),
    ),
    valueChange(
      {
        path: '/system/webhooks/remove',
        summary: 'removes a webhook with its deliveries; their number',
        value: count,
        parameters: { name: NAME },
      },
      ({ caller, parameters: { name } }) => webhooks.remove(caller, name),
    ),
  ];
}

function shownWebhook(webhook: WebhookWithState): Shown<typeof SHOWN_WEBHOOK> {
  return {
    name: webhook.name,
    url: webhook.url,
    events: webhook.events,
    realms: webhook.realms,
    enabled: webhook.isEnabled,
    bounded: webhook.isBounded,
    created: webhook.createdAt.toISOString(),
    waiting: webhook.waiting,
    oldest: timeOf(webhook.oldestAt),
    given_up: webhook.givenUp,
    delivered: webhook.delivered,
    last_success: timeOf(webhook.lastSuccessAt),
    last_failure_at: timeOf(webhook.lastFailureAt),
    last_failure: webhook.lastFailure,
  };
}

function shownDelivery(delivery: PendingDelivery): Shown<typeof DELIVERY> {
  return {
    event: delivery.eventId,
    type: delivery.type,
    occurred: delivery.occurredAt.toISOString(),
    attempts: delivery.attempts,
    next_attempt: timeOf(delivery.nextAttemptAt),
    given_up: timeOf(delivery.givenUpAt),
    last_failure: delivery.lastFailure,
  };
}

function shownTest({ result, eventId, durationMs }: WebhookTest): Shown<typeof TESTED> {
  return {
    delivered: result.failure === undefined,
    status: result.status ?? null,
    reason: result.failure ?? null,
    duration_ms: durationMs,
    event: eventId,
  };
}
