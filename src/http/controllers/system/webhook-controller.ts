import type { Services } from '../../../services.ts';
import { splitList } from '../../../policy/policy-users.ts';
import type { PendingDelivery, WebhookWithState } from '../../../webhooks/ports.ts';
import { EVENT_TYPES } from '../../../webhooks/webhook-event.ts';
import type { WebhookTest } from '../../../webhooks/webhook-service.ts';
import { count, done, inEveryDialect, valueOf } from '../../answers.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import { optional, required } from '../../request/parameter-schemas.ts';
import { DELIVERIES, WEBHOOK_SECRET, WEBHOOK_TEST, WEBHOOKS } from '../answers/installation-answers.ts';
import { systemChange, systemReading } from './system-endpoint.ts';

const NAME = required('the name of the webhook', 'siem');

/** @returns the endpoints that list and change webhooks */
export function webhookEndpoints(
  operations: Pick<Services, 'webhooks'>,
  dialect: AdministrationDialect,
): Endpoint[] {
  return [
    ...readingParts(operations, dialect),
    ...secretParts(operations, dialect),
    ...switchParts(operations, dialect),
    ...deliveryParts(operations, dialect),
  ];
}

function readingParts({ webhooks }: Pick<Services, 'webhooks'>, dialect: AdministrationDialect): Endpoint[] {
  return [
    systemReading(
      {
        path: '/system/webhooks',
        summary: 'the webhooks with the numbers of their deliveries, and the types of events',
        answers: WEBHOOKS,
        parameters: {},
      },
      async ({ caller, context }) => {
        const all = await webhooks.list(caller);
        const types = Object.entries(EVENT_TYPES).map(([type, meaning]) => ({ type, meaning }));
        return dialect.value({ webhooks: all.map(webhookObject), event_types: types }, context);
      },
    ),
    systemReading(
      {
        path: '/system/webhooks/deliveries',
        summary: 'the latest deliveries of a webhook that wait or were given up, newest first, 100 at most',
        answers: DELIVERIES,
        parameters: { name: NAME },
      },
      async ({ caller, parameters: { name }, context }) =>
        dialect.value((await webhooks.deliveries(caller, name)).map(deliveryObject), context),
    ),
  ];
}

/** The answers with a secret, which is never shown again. */
function secretParts({ webhooks }: Pick<Services, 'webhooks'>, dialect: AdministrationDialect): Endpoint[] {
  return [
    systemChange(
      {
        path: '/system/webhooks/add',
        summary: 'adds a webhook at a public address; the answer has the secret of its signatures, this once',
        answers: WEBHOOK_SECRET,
        parameters: {
          name: NAME,
          url: required('where the events go', 'https://siem.example.com/tankeeper'),
          events: optional('a comma list of types; default: all', 'token.locked'),
          realms: optional('only events of tokens in these realms, a comma list; default: all', 'customers'),
        },
      },
      async ({ caller, parameters: { name, url, events = '', realms = '' }, context }) => {
        const requested = splitList(events);
        const secret = await webhooks.add(caller, {
          name,
          url: url.trim(),
          events: requested.length === 0 ? undefined : requested,
          realms: splitList(realms),
        });
        return dialect.value({ secret }, context);
      },
    ),
    systemChange(
      {
        path: '/system/webhooks/rotate-secret',
        summary: 'makes a new secret, which the answer has this once; the one before signs, too, for a day',
        answers: WEBHOOK_SECRET,
        parameters: { name: NAME },
      },
      async ({ caller, parameters: { name }, context }) =>
        dialect.value({ secret: await webhooks.replaceSecret(caller, name) }, context),
    ),
  ];
}

function switchParts({ webhooks }: Pick<Services, 'webhooks'>, dialect: AdministrationDialect): Endpoint[] {
  return (['enable', 'disable'] as const).map((verb) =>
    systemChange(
      {
        path: `/system/webhooks/${verb}`,
        summary:
          verb === 'enable'
            ? 'sends to a webhook again, first the deliveries that wait'
            : 'sends nothing to a webhook: waiting deliveries stay, new events are left out',
        answers: done(),
        parameters: { name: NAME },
      },
      async ({ caller, parameters: { name }, context }) => {
        await webhooks.enable(caller, name, verb === 'enable');
        return dialect.done(context);
      },
    ),
  );
}

function deliveryParts({ webhooks }: Pick<Services, 'webhooks'>, dialect: AdministrationDialect): Endpoint[] {
  return [
    systemChange(
      {
        path: '/system/webhooks/test',
        summary: 'sends a signed event `webhook.test` now, once',
        answers: WEBHOOK_TEST,
        parameters: { name: NAME },
      },
      async ({ caller, parameters: { name }, context }) =>
        dialect.value(testObject(await webhooks.test(caller, name)), context),
    ),
    systemChange(
      {
        path: '/system/webhooks/retry',
        summary: 'makes all deliveries due now, also those that were given up; their number',
        answers: inEveryDialect(valueOf(count)),
        parameters: { name: NAME },
      },
      async ({ caller, parameters: { name }, context }) =>
        dialect.value(await webhooks.retry(caller, name), context),
    ),
    systemChange(
      {
        path: '/system/webhooks/remove',
        summary: 'removes a webhook with its deliveries; their number',
        answers: inEveryDialect(valueOf(count)),
        parameters: { name: NAME },
      },
      async ({ caller, parameters: { name }, context }) =>
        dialect.value(await webhooks.remove(caller, name), context),
    ),
  ];
}

function webhookObject(webhook: WebhookWithState): object {
  const { name, url, events, realms, isEnabled, isBounded, createdAt } = webhook;
  const { waiting, oldestAt, givenUp, delivered, lastSuccessAt, lastFailureAt, lastFailure } = webhook;
  return {
    name,
    url,
    events,
    realms,
    enabled: isEnabled,
    bounded: isBounded,
    created: timeOf(createdAt),
    waiting,
    oldest: timeOf(oldestAt),
    given_up: givenUp,
    delivered,
    last_success: timeOf(lastSuccessAt),
    last_failure_at: timeOf(lastFailureAt),
    last_failure: lastFailure,
  };
}

function deliveryObject(delivery: PendingDelivery): object {
  const { eventId, type, occurredAt, attempts, nextAttemptAt, givenUpAt, lastFailure } = delivery;
  return {
    event: eventId,
    type,
    occurred: timeOf(occurredAt),
    attempts,
    next_attempt: timeOf(nextAttemptAt),
    given_up: timeOf(givenUpAt),
    last_failure: lastFailure,
  };
}

function testObject({ result, eventId, durationMs }: WebhookTest): object {
  return {
    delivered: result.failure === undefined,
    status: result.status ?? null,
    reason: result.failure ?? null,
    duration_ms: durationMs,
    event: eventId,
  };
}

function timeOf(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
