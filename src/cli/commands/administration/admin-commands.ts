import type { Command } from 'commander';
import { addApiTokenCommands } from './api-token-commands.ts';
import { addSignInCommands } from './sign-in-commands.ts';
import type { Services } from '../../../services.ts';
import { actOnceConfirmed, withConfirmation } from '../../confirmed-command.ts';
import type { CommandContext } from '../../command-context.ts';
import type { Column } from '../../output.ts';
import { examples } from '../../examples.ts';

interface PasswordOptions {
  readonly passwordFile?: string;
}

interface NewPasswordOptions extends PasswordOptions {
  readonly revokeTokens?: true;
}

type Administrator = Awaited<ReturnType<Services['administrators']['list']>>[number];

const ADMINISTRATOR_COLUMNS: readonly Column<Administrator>[] = [
  { key: 'name', title: 'NAME', value: ({ name }) => name },
  { key: 'created', title: 'CREATED', value: ({ createdAt }) => createdAt.toISOString() },
  {
    key: 'second_factor',
    title: 'SECOND FACTOR',
    value: ({ secondFactor }) => secondFactor?.kind ?? null,
    text: ({ secondFactor }) =>
      secondFactor?.kind === 'token' ? `token ${secondFactor.serial}` : (secondFactor?.kind ?? 'none'),
  },
];

/** Adds `tankeeper admin …`. */
export function addAdminCommands(program: Command, context: CommandContext): void {
  const admin = program.command('admin').description('administrators, their sign-ins and API tokens');
  admin
    .command('add')
    .addHelpText('after', examples('admin add bert', 'admin add bert --password-file bert.password'))
    .description('add an administrator')
    .argument('<name>')
    .option('--password-file <file>', 'a file that holds the password, - for stdin; else a prompt')
    .action(async (name: string, { passwordFile }: PasswordOptions, command: Command) => {
      const password = await context.newSecret(`Password of ${name}`, '--password-file', passwordFile);
      await context.withServices(({ administrators }, caller) => administrators.add(caller, name, password));
      context.output(command).done(`the administrator ${name} is added`, { name });
    });
  admin
    .command('list')
    .addHelpText('after', examples('admin list', '--json admin list'))
    .description('list the administrators')
    .action(async (_options: object, command: Command) => {
      const found = await context.withServices(({ administrators }) => administrators.list());
      context.output(command).list(found, ADMINISTRATOR_COLUMNS, 'no administrators');
    });
  withConfirmation(admin.command('remove'))
    .addHelpText('after', examples('admin remove bert', '--json admin remove bert'))
    .description('remove an administrator, with sessions and API tokens; the last one stays')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      const outcome = await actOnceConfirmed(context, command, {
        foresee: ({ consequences }) => consequences.ofAdministratorRemoval(name),
        act: ({ administrators }, caller) => administrators.remove(caller, name),
      });
      if (outcome !== undefined) {
        context.output(command).done(`the administrator ${name} is removed`, { name });
      }
    });
  addPassword(admin, context);
  addSignInCommands(admin, context);
  addApiTokenCommands(admin, context);
}

function addPassword(admin: Command, context: CommandContext): void {
  withConfirmation(admin.command('password'))
    .addHelpText(
      'after',
      examples('admin password bert', 'admin password bert --revoke-tokens --password-file bert.password'),
    )
    .description('set a new password; ends all sessions of the administrator')
    .argument('<name>')
    .option('--password-file <file>', 'a file that holds the password, - for stdin; else a prompt')
    .option('--revoke-tokens', 'also revoke all API tokens of the administrator; else they stay')
    .action(async (name: string, { passwordFile, revokeTokens }: NewPasswordOptions, command: Command) => {
      const password = await context.newSecret(`New password of ${name}`, '--password-file', passwordFile);
      const revokesApiTokens = revokeTokens === true;
      const outcome = await actOnceConfirmed(context, command, {
        foresee: ({ consequences }) =>
          revokesApiTokens ? consequences.ofApiTokenRemoval(name) : Promise.resolve([]),
        act: ({ administrators }, caller) =>
          administrators.setPassword(caller, name, password, { revokesApiTokens }),
      });
      if (outcome === undefined) {
        return;
      }
      const { apiTokens } = outcome.result;
      const output = context.output(command);
      const [revoked, left] = revokesApiTokens ? [apiTokens, 0] : [0, apiTokens];
      output.done(`the administrator ${name} has a new password; all sessions are ended`, {
        name,
        api_tokens_revoked: revoked,
        api_tokens_left: left,
      });
      if (revokesApiTokens) {
        output.say(`API tokens revoked: ${revoked}.`);
      } else if (left > 0) {
        output.say(`API tokens that go on to work: ${left}. See them by: tankeeper admin api-token list`);
      }
    });
}
