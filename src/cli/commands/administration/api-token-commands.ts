import type { Command } from 'commander';
import type { ApiToken } from '../../../administrators/administrator.ts';
import { actOnceConfirmed, withConfirmation } from '../../confirmed-command.ts';
import type { CommandContext } from '../../command-context.ts';
import { expiryOption, type OptionInstant, parseList } from '../../option-values.ts';
import type { Column } from '../../output.ts';
import { examples } from '../../examples.ts';

interface AddOptions {
  readonly rights: readonly string[];
  readonly expires?: OptionInstant;
}

const API_TOKEN_COLUMNS: readonly Column<ApiToken>[] = [
  { key: 'name', title: 'NAME', value: ({ name }) => name },
  { key: 'administrator', title: 'ADMINISTRATOR', value: ({ administrator }) => administrator },
  { key: 'rights', title: 'RIGHTS', value: ({ rights }) => rights },
  { key: 'created', title: 'CREATED', value: ({ createdAt }) => createdAt.toISOString() },
  {
    key: 'expires',
    title: 'EXPIRES',
    value: ({ expiresAt }) => expiresAt?.toISOString() ?? null,
    text: ({ expiresAt }) => expiresAt?.toISOString() ?? 'never',
  },
];

/** Adds `tankeeper admin api-token …`. */
export function addApiTokenCommands(admin: Command, context: CommandContext): void {
  const apiToken = admin
    .command('api-token')
    .description('API tokens: what programs show instead of a password (Authorization: Bearer)');
  addAdd(apiToken, context);
  apiToken
    .command('list')
    .addHelpText('after', examples('admin api-token list bert', '--json admin api-token list bert'))
    .description("list an administrator's API tokens; the tokens themselves are not kept")
    .argument('<administrator>')
    .action(async (administrator: string, _options: object, command: Command) => {
      const found = await context.withServices(({ administrators }) =>
        administrators.listApiTokens(administrator),
      );
      context.output(command).list(found, API_TOKEN_COLUMNS, 'no API tokens');
    });
  withConfirmation(apiToken.command('remove'))
    .addHelpText(
      'after',
      examples('admin api-token remove bert nagios', '--json admin api-token remove bert nagios'),
    )
    .description('remove an API token; it is refused from now on')
    .argument('<administrator>')
    .argument('<name>')
    .action(async (administrator: string, name: string, _options: object, command: Command) => {
      const outcome = await actOnceConfirmed(context, command, {
        foresee: ({ consequences }) => consequences.ofApiTokenRemoval(administrator, name),
        act: ({ administrators }, caller) => administrators.removeApiToken(caller, administrator, name),
      });
      if (outcome !== undefined) {
        context.output(command).done(`the API token ${name} of ${administrator} is removed`, {
          administrator,
          name,
        });
      }
    });
}

function addAdd(apiToken: Command, context: CommandContext): void {
  const { clock } = context.dependencies;
  apiToken
    .command('add')
    .addHelpText(
      'after',
      examples(
        'admin api-token add bert nagios --rights "monitoring:*" --expires 90D',
        'admin api-token add bert portal --rights ocra:request,ocra:checkstatus',
      ),
    )
    .description('make an API token and print it, this once')
    .argument('<administrator>', 'on whose behalf it speaks')
    .argument('<name>', 'what it is called')
    .requiredOption(
      '--rights <list>',
      'what it may do: scope:action, comma separated (monitoring:*)',
      parseList,
    )
    .option(
      '--expires <when>',
      'when it ends: a date (2027-01-31) or a duration (90D); else never',
      expiryOption(clock),
    )
    .action(
      async (administrator: string, name: string, { rights, expires }: AddOptions, command: Command) => {
        const { token } = await context.withServices(({ administrators }, caller) =>
          administrators.addApiToken(caller, administrator, {
            name,
            rights,
            ...(expires !== undefined && { expiresAt: expires() }),
          }),
        );
        const output = context.output(command);
        output.say('This is shown once; only its hash is kept:');
        output.done(token, { administrator, name, token });
      },
    );
}
