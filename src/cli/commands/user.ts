import { type Command, InvalidArgumentError } from 'commander';
import { CliFailure, EXIT_CODES } from '../cli-failure.ts';
import { addCommand, type CommandContext } from '../command-context.ts';
import { type Column, withProgress } from '../output.ts';
import type { ListedUser } from '../../users/user-service.ts';

const USER_COLUMNS: readonly Column<ListedUser>[] = [
  { key: 'login', title: 'LOGIN', value: ({ login }) => login },
  { key: 'resolver', title: 'RESOLVER', value: ({ resolver }) => resolver },
  { key: 'userid', title: 'USER ID', value: ({ userId }) => userId },
  { key: 'givenname', title: 'GIVEN NAME', value: ({ givenName }) => givenName },
  { key: 'surname', title: 'SURNAME', value: ({ surname }) => surname },
  { key: 'email', title: 'EMAIL', value: ({ email }) => email },
  { key: 'phone', title: 'PHONE', value: ({ phone }) => phone },
];

/** Adds `tankeeper user list`: its users are as many as there are, and it says where a list is cut. */
export function addUserListCommand(user: Command, context: CommandContext): void {
  addCommand(user, 'list', 'list the users of a realm or of a resolver, whatever its kind', [
    'user list --realm office',
    'user list --resolver staff',
  ])
    .option('--realm <name>', 'all resolvers of this realm')
    .option('--resolver <name>', 'one resolver')
    .option('--search <text>', 'those with this text in login, name, e-mail or phone; * stands for any text')
    .option('--limit <users>', 'so many at most', wholeNumberOption(1, 1_000_000))
    .action(
      async (options: {
        readonly realm?: string;
        readonly resolver?: string;
        readonly search?: string;
        readonly limit?: number;
      }) => {
        const { realm, resolver, search, limit } = options;
        if ((realm === undefined) === (resolver === undefined)) {
          throw new CliFailure('give either --realm or --resolver', EXIT_CODES.usage);
        }
        const { io } = context.dependencies;
        const found = await context.withServices(({ users }, caller) =>
          withProgress(io, 'reading users', () => users.list(caller, { realm, resolver, search, limit })),
        );
        context.output.list(found, USER_COLUMNS, 'no users');
      },
    );
}

/** @returns a reader of whole numbers within bounds, for an option */
export function wholeNumberOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(value) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}
