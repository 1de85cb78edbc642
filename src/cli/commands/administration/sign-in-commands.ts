import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ListedSession } from '../../../administrators/session.ts';
import { actOnceConfirmed, withConfirmation } from '../../confirmed-command.ts';
import type { CommandContext } from '../../command-context.ts';
import type { Column } from '../../output.ts';
import { examples } from '../../examples.ts';

interface SecondFactorOptions {
  readonly token?: string;
  readonly passkeyLink?: true;
  readonly remove?: true;
}

interface SessionOptions {
  readonly end?: string;
  readonly endAll?: true;
}

const SESSION_COLUMNS: readonly Column<ListedSession>[] = [
  { key: 'id', title: 'ID', value: ({ id }) => id },
  { key: 'administrator', title: 'ADMINISTRATOR', value: ({ owner }) => owner },
  { key: 'kind', title: 'KIND', value: ({ kind }) => kind },
  { key: 'client', title: 'CLIENT', value: ({ client }) => client },
  { key: 'created', title: 'CREATED', value: ({ createdAt }) => createdAt.toISOString() },
  { key: 'expires', title: 'EXPIRES', value: ({ expiresAt }) => expiresAt.toISOString() },
];

/** Adds `tankeeper admin second-factor` and `tankeeper admin sessions`. */
export function addSignInCommands(admin: Command, context: CommandContext): void {
  addSecondFactor(admin, context);
  addSessions(admin, context);
}

function addSecondFactor(admin: Command, context: CommandContext): void {
  withConfirmation(admin.command('second-factor'))
    .addHelpText(
      'after',
      examples(
        'admin second-factor bert --token QR17',
        'admin second-factor bert --passkey-link',
        'admin second-factor bert --remove --yes',
      ),
    )
    .description('set or remove the second factor of an administrator; a change ends all sessions')
    .argument('<name>')
    .addOption(
      new Option('--token <serial>', 'an OCRA token of this server').conflicts(['passkeyLink', 'remove']),
    )
    .addOption(
      new Option('--passkey-link', 'print a link to register a passkey, for an hour').conflicts(['remove']),
    )
    .option('--remove', 'leave the password alone')
    .action(async (name: string, options: SecondFactorOptions, command: Command) => {
      const { token, passkeyLink, remove } = options;
      if (token !== undefined) {
        await setToken(name, token, context, command);
      } else if (passkeyLink === true) {
        await printLink(name, context, command);
      } else if (remove === true) {
        await removeFactor(name, context, command);
      } else {
        command.error('error: one of --token, --passkey-link and --remove is needed');
      }
    });
}

async function setToken(
  name: string,
  serial: string,
  context: CommandContext,
  command: Command,
): Promise<void> {
  const outcome = await actOnceConfirmed(context, command, {
    foresee: ({ consequences }) => consequences.ofSecondFactor(name, { serial }),
    act: ({ secondFactors }, caller) => secondFactors.setToken(caller, name, serial),
  });
  if (outcome !== undefined) {
    context.output(command).done(`the administrator ${name} signs in with the token ${serial}`, {
      name,
      second_factor: 'token',
      serial,
    });
  }
}

async function removeFactor(name: string, context: CommandContext, command: Command): Promise<void> {
  const outcome = await actOnceConfirmed(context, command, {
    foresee: ({ consequences }) => consequences.ofSecondFactor(name, undefined),
    act: ({ secondFactors }, caller) => secondFactors.remove(caller, name),
  });
  if (outcome !== undefined) {
    const done = `the administrator ${name} signs in with the password alone`;
    context.output(command).done(done, { name, second_factor: null });
  }
}

async function printLink(name: string, context: CommandContext, command: Command): Promise<void> {
  const { link, expiresAt } = await context.withServices(({ secondFactors }, caller) =>
    secondFactors.passkeyLink(caller, name),
  );
  const output = context.output(command);
  output.say(`For ${name}, once, until ${expiresAt.toISOString()}:`);
  output.done(link, { name, link, expires: expiresAt.toISOString() });
}

function addSessions(admin: Command, context: CommandContext): void {
  admin
    .command('sessions')
    .addHelpText(
      'after',
      examples('admin sessions', 'admin sessions bert --end 17', 'admin sessions bert --end-all'),
    )
    .description('list open sessions and logins, or end them')
    .argument('[name]', 'whose; default: of all administrators')
    .addOption(
      new Option('--end <id>', 'end this one; it is refused within a second')
        .argParser(parseId)
        .conflicts('endAll'),
    )
    .option('--end-all', 'end all of the administrator')
    .action(async (name: string | undefined, { end, endAll }: SessionOptions, command: Command) => {
      if (end === undefined && endAll !== true) {
        const listed = await context.withServices(({ sessions }, caller) =>
          sessions.list(caller, name ?? '*'),
        );
        context.output(command).list(listed, SESSION_COLUMNS, 'no open sessions');
        return;
      }
      if (name === undefined) {
        command.error('error: --end and --end-all need the name of the administrator');
      }
      const ended = await context.withServices(({ sessions }, caller) =>
        sessions.end(caller, { owner: name, id: end, isAll: endAll === true }),
      );
      context.output(command).done(`sessions of ${name} ended: ${ended}`, { name, ended });
    });
}

function parseId(text: string): string {
  if (!/^[1-9]\d{0,17}$/.test(text)) {
    throw new InvalidArgumentError('The id of a session is a number.');
  }
  return text;
}
