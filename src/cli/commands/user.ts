import { type Command, Option } from 'commander';
import { CliFailure, EXIT_CODES } from '../cli-failure.ts';
import { addCommand, addConfirmedCommand, type CommandContext } from '../command-context.ts';
import { wholeNumberOption } from '../option-values.ts';
import type { Column } from '../output.ts';
import { withProgress } from '../progress.ts';
import type { CutList, ListedUser } from '../../users/user-service.ts';

interface AddOptions {
  readonly resolver: string;
  readonly givenName: string;
  readonly surname: string;
  readonly email: string;
  readonly phone: string;
  readonly askPassword?: true;
  readonly passwordFile?: string;
}

interface ListOptions {
  readonly realm?: string;
  readonly resolver?: string;
  readonly search?: string;
  readonly limit?: number;
}

interface PasswordOptions {
  readonly resolver: string;
  readonly passwordFile?: string;
  readonly remove?: true;
}

const USER_COLUMNS: readonly Column<ListedUser>[] = [
  { key: 'login', title: 'LOGIN', value: ({ login }) => login },
  { key: 'resolver', title: 'RESOLVER', value: ({ resolver }) => resolver },
  { key: 'userid', title: 'USER ID', value: ({ userId }) => userId },
  { key: 'givenname', title: 'GIVEN NAME', value: ({ givenName }) => givenName },
  { key: 'surname', title: 'SURNAME', value: ({ surname }) => surname },
  { key: 'email', title: 'EMAIL', value: ({ email }) => email },
  { key: 'phone', title: 'PHONE', value: ({ phone }) => phone },
];

/** Adds `tankeeper user …`. */
export function addUserCommands(program: Command, context: CommandContext): void {
  const user = program.command('user').description('users: those of managed resolvers are kept here');
  addAdd(user, context);
  addList(user, context);
  addConfirmedCommand(user, 'remove', 'remove a user; their tokens become unassigned', [
    'user remove anna --resolver staff',
    '--json user remove anna --resolver staff',
  ])
    .argument('<login>')
    .requiredOption('--resolver <name>', 'a managed resolver')
    .action(async (login: string, { resolver }: { resolver: string }) => {
      await context.confirmed({
        foresee: ({ consequences }) => consequences.ofUserRemoval({ resolver, login }),
        act: ({ users }, caller) => users.remove(caller, { resolver, login }),
        done: () => [`the user ${login} of ${resolver} is removed`, { login, resolver }],
      });
    });
  addPassword(user, context);
}

function addAdd(user: Command, context: CommandContext): void {
  addCommand(user, 'add', 'add a user to a managed resolver; without a password unless one is asked for', [
    'user add anna --resolver staff --given-name Anna --email anna@example.org',
    'user add bert --resolver staff --ask-password',
  ])
    .argument('<login>')
    .requiredOption('--resolver <name>', 'a managed resolver')
    .option('--given-name <text>', 'given name', '')
    .option('--surname <text>', 'surname', '')
    .option('--email <text>', 'e-mail address', '')
    .option('--phone <text>', 'phone number', '')
    .option('--ask-password', 'ask for a password')
    .option('--password-file <file>', 'a file that holds the password, - for stdin')
    .action(async (login: string, options: AddOptions) => {
      const { resolver, givenName, surname, email, phone, askPassword, passwordFile } = options;
      const password =
        askPassword === true || passwordFile !== undefined
          ? await context.newSecret(`Password of ${login}`, '--password-file', passwordFile)
          : undefined;
      const added = await context.withServices(({ users }, caller) =>
        users.add(caller, {
          resolver,
          login,
          givenName,
          surname,
          email,
          phone,
          ...(password !== undefined && { password }),
        }),
      );
      context.output.done(`the user ${login} is added to ${resolver}`, {
        login,
        resolver,
        userid: added.userId,
      });
    });
}

function addList(user: Command, context: CommandContext): void {
  addCommand(user, 'list', 'list the users of a realm or of a resolver, whatever its kind', [
    'user list --realm office',
    'user list --resolver staff',
  ])
    .option('--realm <name>', 'all resolvers of this realm')
    .option('--resolver <name>', 'one resolver')
    .option('--search <text>', 'those with this text in login, name, e-mail or phone; * stands for any text')
    .option('--limit <users>', 'so many at most', wholeNumberOption(1, 1_000_000))
    .action(async (options: ListOptions) => {
      const { realm, resolver, search, limit } = options;
      if ((realm === undefined) === (resolver === undefined)) {
        throw new CliFailure('give either --realm or --resolver', EXIT_CODES.usage);
      }
      const { io } = context.dependencies;
      const cuts: CutList[] = [];
      const found = await context.withServices(({ users }, caller) =>
        withProgress(io, 'reading users', () =>
          users.list(caller, { realm, resolver, search, limit }, (cut) => cuts.push(cut)),
        ),
      );
      const { describeCut } = await import('../../users/user-service.ts');
      for (const cut of cuts) {
        io.stderr.write(`${describeCut(cut)}\n`);
      }
      context.output.list(found, USER_COLUMNS, 'no users');
    });
}

function addPassword(user: Command, context: CommandContext): void {
  addConfirmedCommand(user, 'password', 'set the password of a user, or take it away', [
    'user password anna --resolver staff',
    'user password anna --resolver staff --remove',
  ])
    .argument('<login>')
    .requiredOption('--resolver <name>', 'a managed resolver')
    .option('--password-file <file>', 'a file that holds the password, - for stdin; else a prompt')
    .addOption(new Option('--remove', 'the user has none from now on').conflicts('passwordFile'))
    .action(async (login: string, { resolver, passwordFile, remove }: PasswordOptions) => {
      const password =
        remove === true
          ? null
          : await context.newSecret(`New password of ${login}`, '--password-file', passwordFile);
      const what = password === null ? 'no password any more' : 'a new password';
      await context.confirmed({
        foresee: async ({ consequences }) =>
          password === null ? consequences.ofPasswordRemoval({ resolver, login }) : [],
        act: ({ users }, caller) => users.setPassword(caller, { resolver, login, password }),
        done: () => [`the user ${login} of ${resolver} has ${what}`, { login, resolver }],
      });
    });
}
