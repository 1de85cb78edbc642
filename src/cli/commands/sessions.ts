import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ListedSession } from '../../administrators/session.ts';
import { addCommand, type CommandContext } from '../command-context.ts';
import type { Column } from '../output.ts';

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

/** Adds `tankeeper sessions`. */
export function addSessionsCommand(program: Command, context: CommandContext): void {
  addCommand(program, 'sessions', 'list open sessions and logins, or end them', [
    'sessions',
    'sessions bert --end 17',
    'sessions bert --end-all',
  ])
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
        context.output.list(listed, SESSION_COLUMNS, 'no open sessions');
        return;
      }
      if (name === undefined) {
        command.error('error: --end and --end-all need the name of the administrator');
      }
      const ended = await context.withServices(({ sessions }, caller) =>
        sessions.end(caller, { owner: name, id: end, isAll: endAll === true }),
      );
      context.output.done(`sessions of ${name} ended: ${ended}`, { name, ended });
    });
}

function parseId(text: string): string {
  if (!/^[1-9]\d{0,17}$/.test(text)) {
    throw new InvalidArgumentError('The id of a session is a number.');
  }
  return text;
}
