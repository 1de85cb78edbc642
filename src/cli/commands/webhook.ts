import type { Command } from 'commander';
import { CliFailure } from '../cli-failure.ts';
import { addCommand, addConfirmedCommand, type CommandContext, examples } from '../command-context.ts';
import type { Column } from '../output.ts';
import { consequence, countText } from '../../consequences/consequence.ts';
import { EVENT_TYPES } from '../../webhooks/webhook-event.ts';
import type { WebhookWithState } from '../../webhooks/webhook.ts';
import { splitList } from '../../kernel/text.ts';

interface AddOptions {
  readonly url: string;
  readonly events?: readonly string[];
  readonly realms?: readonly string[];
  readonly allowHttp?: true;
}

const LISTED: readonly Column<WebhookWithState>[] = [
  { key: 'name', title: 'NAME', value: ({ name }) => name },
  { key: 'url', title: 'URL', value: ({ url }) => url },
  { key: 'enabled', title: 'ENABLED', value: ({ isEnabled }) => isEnabled },
  { key: 'waiting', title: 'WAITING', value: ({ waiting }) => waiting, align: 'right' },
  { key: 'given_up', title: 'GIVEN UP', value: ({ givenUp }) => givenUp, align: 'right' },
  { key: 'last_failure', title: 'LAST FAILURE', value: ({ lastFailure }) => lastFailure },
];

const SHOWN_COLUMNS: readonly Column<WebhookWithState>[] = [
  ...LISTED,
  { key: 'events', title: 'EVENTS', value: ({ events }) => events },
  {
    key: 'realms',
    title: 'REALMS',
    value: ({ realms }) => realms,
    text: ({ realms }) => (realms.length === 0 ? 'all tokens' : realms.join(', ')),
  },
  { key: 'delivered', title: 'DELIVERED', value: ({ delivered }) => delivered },
  instant('oldest', 'OLDEST WAITING', ({ oldestAt }) => oldestAt),
  instant('last_success', 'LAST SUCCESS AT', ({ lastSuccessAt }) => lastSuccessAt),
  instant('last_failure_at', 'LAST FAILURE AT', ({ lastFailureAt }) => lastFailureAt),
  instant('created', 'CREATED', ({ createdAt }) => createdAt),
];

const EVENTS_TEXT = `
Events:
${Object.entries(EVENT_TYPES)
  .map(([type, meaning]) => `  ${type.padEnd(19)}${meaning}`)
  .join('\n')}`;

/** Adds `tankeeper webhook …`. */
export function addWebhookCommands(program: Command, context: CommandContext): void {
  const webhook = program
    .command('webhook')
    .description('webhooks: receivers of signed events (docs/guides/webhooks.md)');
  addAdd(webhook, context);
  addReading(webhook, context);
  addSwitches(webhook, context);
  addTest(webhook, context);
  addUpkeep(webhook, context);
}

function addAdd(webhook: Command, context: CommandContext): void {
  webhook
    .command('add')
    .description('add a receiver and print the secret of its signatures, this once')
    .argument('<name>', 'letters, digits, dots, - and _')
    .requiredOption('--url <url>', 'where the events go: https://…')
    .option('--events <list>', 'types of events, comma separated; left out: all', splitList)
    .option('--realms <list>', 'only events of tokens in these realms; left out: all tokens', splitList)
    .option('--allow-http', 'allow http:// to other machines: the network can read what is sent')
    .addHelpText('after', EVENTS_TEXT)
    .addHelpText(
      'after',
      examples(
        'webhook add siem --url https://siem.example.com/tankeeper',
        'webhook add desk --url https://desk.example.com/hook --events token.locked --realms office',
      ),
    )
    .action(async (name: string, { url, events, realms, allowHttp }: AddOptions) => {
      const request = { name, url, events, realms, allowsHttp: allowHttp === true };
      const secret = await context.withServices(({ webhooks }, caller) => webhooks.add(caller, request));
      printSecretOnce(context, name, secret);
    });
}

function addReading(webhook: Command, context: CommandContext): void {
  addCommand(webhook, 'list', 'list the receivers with the deliveries that wait or were given up', [
    'webhook list',
    '--json webhook list',
  ]).action(async () => {
    const found = await context.withServices(({ webhooks }, caller) => webhooks.list(caller));
    context.output.list(found, LISTED, 'no webhooks');
  });
  addCommand(webhook, 'show', 'show a receiver and its deliveries', [
    'webhook show siem',
    '--json webhook show siem',
  ])
    .argument('<name>')
    .action(async (name: string) => {
      const found = await context.withServices(({ webhooks }, caller) => webhooks.show(caller, name));
      context.output.record(found, SHOWN_COLUMNS);
    });
}

function addSwitches(webhook: Command, context: CommandContext): void {
  for (const [verb, enabled, what] of [
    ['enable', true, 'send to a receiver again, first what waits for it'],
    ['disable', false, 'send nothing to a receiver; what waits for it stays, new events are left out'],
  ] as const) {
    addCommand(webhook, verb, what, [`webhook ${verb} siem`, `--json webhook ${verb} siem`])
      .argument('<name>')
      .action(async (name: string) => {
        await context.withServices(({ webhooks }, caller) => webhooks.enable(caller, name, enabled));
        context.output.done(`the webhook ${name} is ${verb}d`, { name, enabled });
      });
  }
}

function addTest(webhook: Command, context: CommandContext): void {
  addCommand(webhook, 'test', 'send a signed event of the type webhook.test now, and print the answer', [
    'webhook test siem',
    '--json webhook test siem',
  ])
    .argument('<name>')
    .action(async (name: string) => {
      const { result, eventId, durationMs } = await context.withServices(({ webhooks }, caller) =>
        webhooks.test(caller, name),
      );
      if (result.failure !== undefined) {
        throw new CliFailure(`the webhook ${name} did not take it after ${durationMs} ms: ${result.failure}`);
      }
      context.output.done(`the webhook ${name} has answered HTTP ${result.status} after ${durationMs} ms`, {
        name,
        status: result.status,
        duration_ms: durationMs,
        event: eventId,
      });
    });
}

function addUpkeep(webhook: Command, context: CommandContext): void {
  addCommand(webhook, 'retry', 'make all deliveries to a receiver due now, also those that were given up', [
    'webhook retry siem',
    '--json webhook retry siem',
  ])
    .argument('<name>')
    .action(async (name: string) => {
      const deliveries = await context.withServices(({ webhooks }, caller) => webhooks.retry(caller, name));
      context.output.done(`${deliveries} deliveries to ${name} are due now`, { name, deliveries });
    });
  addCommand(
    webhook,
    'rotate-secret',
    'make a new secret and print it, this once; the old one signs, too, for a day',
    ['webhook rotate-secret siem', '--json webhook rotate-secret siem'],
  )
    .argument('<name>')
    .action(async (name: string) => {
      const secret = await context.withServices(({ webhooks }, caller) =>
        webhooks.replaceSecret(caller, name),
      );
      printSecretOnce(context, name, secret);
    });
  addConfirmedCommand(webhook, 'remove', 'remove a receiver, and what waits for it', [
    'webhook remove siem',
    'webhook remove siem --yes',
  ])
    .argument('<name>')
    .action(async (name: string) => {
      await context.confirmed({
        foresee: async ({ webhooks }, caller) => {
          const { waiting, givenUp } = await webhooks.show(caller, name);
          const lost = waiting + givenUp;
          return consequence(
            lost > 0,
            'webhook.deliveries',
            `${countText(lost, 'event')} for ${name} are lost`,
          );
        },
        act: ({ webhooks }, caller) => webhooks.remove(caller, name),
        done: (deliveries) => [`the webhook ${name} is removed`, { name, deliveries }],
      });
    });
}

function printSecretOnce(context: CommandContext, name: string, secret: string): void {
  const output = context.output;
  output.say('This secret is shown once; give it to the receiver:');
  output.done(secret, { name, secret });
}

function instant(
  key: string,
  title: string,
  of: (webhook: WebhookWithState) => Date | null,
): Column<WebhookWithState> {
  return { key, title, value: (webhook) => of(webhook)?.toISOString() ?? null };
}
