import { z } from 'zod';
import { consequence, countText } from '../consequences/consequence.ts';
import { EVENT_TYPES } from '../webhooks/webhook-event.ts';
import { DELIVERY, WEBHOOK, WEBHOOK_TEST } from '../webhooks/webhook.ts';
import { flag, list, text } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

const name = text('the name of the webhook', 'siem');
const url = text('where the events go: https://…', 'https://siem.example.com/tankeeper');
const events = list(`types of events: ${Object.keys(EVENT_TYPES).join(', ')}`, 'token.locked');
const realms = list('only events of tokens in these realms', 'customers');
const count = z.int().nonnegative();

/** Is shown this once. */
const SECRET = z.object({ secret: z.string().describe('the secret of its signatures') });
const handOver = ({ secret }: z.output<typeof SECRET>): string =>
  `${secret}\nThis secret is shown once; give it to the receiver.`;

const listWebhooks = operation({
  name: 'webhook list',
  does: 'the receivers of events with the numbers of their deliveries',
  right: 'system:read',
  changes: false,
  input: {},
  output: z.array(WEBHOOK),
  run: ({ webhooks }, caller) => webhooks.list(caller),
});

const showWebhook = operation({
  name: 'webhook show',
  does: 'a receiver and the numbers of its deliveries',
  right: 'system:read',
  changes: false,
  input: { name },
  output: WEBHOOK,
  run: ({ webhooks }, caller, input) => webhooks.show(caller, input.name),
});

const listEvents = operation({
  name: 'webhook events',
  does: 'the types of events',
  right: 'system:read',
  changes: false,
  input: {},
  output: z.array(
    z.object({ type: z.string().meta({ column: 'TYPE' }), meaning: z.string().meta({ column: 'MEANING' }) }),
  ),
  run: () => Promise.resolve(Object.entries(EVENT_TYPES).map(([type, meaning]) => ({ type, meaning }))),
});

const listDeliveries = operation({
  name: 'webhook deliveries',
  does: 'the latest deliveries of a webhook that wait or were given up, newest first, 100 at most',
  right: 'system:read',
  changes: false,
  input: { name },
  output: z.array(DELIVERY),
  run: ({ webhooks }, _caller, input) => webhooks.deliveries(input.name),
});

const addWebhook = operation({
  name: 'webhook add',
  does: 'adds a receiver, over HTTP at a public address only',
  right: 'system:write',
  changes: true,
  input: {
    name,
    url,
    events: events.optional(),
    realms: realms.optional(),
    allow_http: flag(
      'at the machine only: http:// to other machines, where the network can read what is sent',
    ),
  },
  output: SECRET,
  run: async ({ webhooks }, caller, { allow_http: allowsHttp, ...input }) => ({
    secret: await webhooks.add(caller, { ...input, allowsHttp }),
  }),
  says: handOver,
});

const setWebhook = operation({
  name: 'webhook set',
  does: 'changes address, events or realms of a webhook; what is not given stays, and so does the secret',
  right: 'system:write',
  changes: true,
  input: { name, url: url.optional(), events: events.optional(), realms: realms.optional() },
  run: ({ webhooks }, caller, { name: webhook, ...change }) => webhooks.change(caller, webhook, change),
  says: (_none, input) => `the webhook ${input.name} is changed`,
});

const switching = (verb: 'enable' | 'disable', does: string) =>
  operation({
    name: `webhook ${verb}`,
    does,
    right: 'system:write',
    changes: true,
    input: { name },
    run: ({ webhooks }, caller, input) => webhooks.enable(caller, input.name, verb === 'enable'),
    says: (_none, input) => `the webhook ${input.name} is ${verb}d`,
  });

const testWebhook = operation({
  name: 'webhook test',
  does: 'sends a signed event `webhook.test` now, once',
  right: 'system:write',
  changes: true,
  input: { name },
  output: WEBHOOK_TEST,
  run: ({ webhooks }, caller, input) => webhooks.test(caller, input.name),
  says: ({ status, durationMs }, input) =>
    `the webhook ${input.name} has answered HTTP ${status} after ${durationMs} ms`,
  fails: ({ failure, durationMs }, input) =>
    failure === null
      ? undefined
      : `the webhook ${input.name} did not take it after ${durationMs} ms: ${failure}`,
});

const retryWebhook = operation({
  name: 'webhook retry',
  does: 'makes all deliveries due now, also those that were given up; their number',
  right: 'system:write',
  changes: true,
  input: { name },
  output: count,
  run: ({ webhooks }, caller, input) => webhooks.retry(caller, input.name),
  says: (deliveries, input) => `${deliveries} deliveries to ${input.name} are due now`,
});

const rotateSecret = operation({
  name: 'webhook rotate-secret',
  does: 'makes a new secret; the one before signs, too, for a day',
  right: 'system:write',
  changes: true,
  input: { name },
  output: SECRET,
  run: async ({ webhooks }, caller, input) => ({ secret: await webhooks.replaceSecret(caller, input.name) }),
  says: handOver,
});

const removeWebhook = operation({
  name: 'webhook remove',
  does: 'removes a webhook with its deliveries; their number',
  right: 'system:write',
  changes: true,
  input: { name },
  output: count,
  run: ({ webhooks }, caller, input) => webhooks.remove(caller, input.name),
  asks: async ({ webhooks }, caller, input) => {
    const { waiting, givenUp } = await webhooks.show(caller, input.name);
    const lost = waiting + givenUp;
    return consequence(
      lost > 0,
      'webhook.deliveries',
      `${countText(lost, 'event')} for ${input.name} are lost`,
    );
  },
  says: (_deliveries, input) => `the webhook ${input.name} is removed`,
});

export const WEBHOOKS: OperationGroup = {
  name: 'webhook',
  about: 'receivers of signed events (docs/guides/webhooks.md)',
  operations: [
    listWebhooks,
    showWebhook,
    listEvents,
    listDeliveries,
    addWebhook,
    setWebhook,
    switching('enable', 'sends to a webhook again, first the deliveries that wait'),
    switching('disable', 'sends nothing to a webhook: waiting deliveries stay, new events are left out'),
    testWebhook,
    retryWebhook,
    rotateSecret,
    removeWebhook,
  ],
};
