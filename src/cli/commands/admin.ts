import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ApiToken } from '../../administrators/administrator.ts';
import type { ListedSession } from '../../administrators/session.ts';
import { addCommand, addConfirmedCommand, type CommandContext } from '../command-context.ts';
import { expiryOption, type OptionInstant } from '../option-values.ts';
import type { Column } from '../output.ts';
import type { Services } from '../../services.ts';
import { splitList } from '../../kernel/text.ts';

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
      secondFactor?.kind === 'token'
        ? `${secondFactor.tokenId === undefined ? 'lost: ' : ''}token ${secondFactor.serial}`
        : (secondFactor?.kind ?? 'none'),
  },
];

/** Adds `tankeeper admin …`. */
export function addAdminCommands(program: Command, context: CommandContext): void {
  const admin = program.command('admin').description('administrators, their sign-ins and API tokens');
  addCommand(admin, 'add', 'add an administrator', [
    'admin add bert',
    'admin add bert --password-file bert.password',
  ])
    .argument('<name>')
    .option('--password-file <file>', 'a file that holds the password, - for stdin; else a prompt')
    .action(async (name: string, { passwordFile }: PasswordOptions) => {
      const password = await context.newSecret(`Password of ${name}`, '--password-file', passwordFile);
      await context.withServices(({ administrators }, caller) => administrators.add(caller, name, password));
      context.output.done(`the administrator ${name} is added`, { name });
    });
  addCommand(admin, 'list', 'list the administrators', ['admin list', '--json admin list']).action(
    async () => {
      const found = await context.withServices(({ administrators }) => administrators.list());
      context.output.list(found, ADMINISTRATOR_COLUMNS, 'no administrators');
    },
  );
  addConfirmedCommand(
    admin,
    'remove',
    'remove an administrator, with sessions and API tokens; the last one stays',
    ['admin remove bert', '--json admin remove bert'],
  )
    .argument('<name>')
    .action(async (name: string) => {
      await context.confirmed({
        foresee: ({ consequences }) => consequences.ofAdministratorRemoval(name),
        act: ({ administrators }, caller) => administrators.remove(caller, name),
        done: () => [`the administrator ${name} is removed`, { name }],
      });
    });
  addPassword(admin, context);
  addSignInCommands(admin, context);
  addApiTokenCommands(admin, context);
}

function addPassword(admin: Command, context: CommandContext): void {
  addConfirmedCommand(admin, 'password', 'set a new password; ends all sessions of the administrator', [
    'admin password bert',
    'admin password bert --revoke-tokens --password-file bert.password',
  ])
    .argument('<name>')
    .option('--password-file <file>', 'a file that holds the password, - for stdin; else a prompt')
    .option('--revoke-tokens', 'also revoke all API tokens of the administrator; else they stay')
    .action(async (name: string, { passwordFile, revokeTokens }: NewPasswordOptions) => {
      const password = await context.newSecret(`New password of ${name}`, '--password-file', passwordFile);
      const revokesApiTokens = revokeTokens === true;
      await context.confirmed({
        foresee: ({ consequences }) =>
          revokesApiTokens ? consequences.ofApiTokenRemoval(name) : Promise.resolve([]),
        act: ({ administrators }, caller) =>
          administrators.setPassword(caller, name, password, { revokesApiTokens }),
        done: ({ apiTokens }) => {
          const [revoked, left] = revokesApiTokens ? [apiTokens, 0] : [0, apiTokens];
          const remark = revokesApiTokens
            ? `API tokens revoked: ${revoked}.`
            : `API tokens that go on to work: ${left}. See them by: tankeeper admin api-token list`;
          return [
            `the administrator ${name} has a new password; all sessions are ended`,
            { name, api_tokens_revoked: revoked, api_tokens_left: left },
            revokesApiTokens || left > 0 ? remark : undefined,
          ];
        },
      });
    });
}

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
function addApiTokenCommands(admin: Command, context: CommandContext): void {
  const apiToken = admin
    .command('api-token')
    .description('API tokens: what programs show instead of a password (Authorization: Bearer)');
  addAdd(apiToken, context);
  addCommand(apiToken, 'list', "list an administrator's API tokens; the tokens themselves are not kept", [
    'admin api-token list bert',
    '--json admin api-token list bert',
  ])
    .argument('<administrator>')
    .action(async (administrator: string) => {
      const found = await context.withServices(({ administrators }) =>
        administrators.listApiTokens(administrator),
      );
      context.output.list(found, API_TOKEN_COLUMNS, 'no API tokens');
    });
  addConfirmedCommand(apiToken, 'remove', 'remove an API token; it is refused from now on', [
    'admin api-token remove bert nagios',
    '--json admin api-token remove bert nagios',
  ])
    .argument('<administrator>')
    .argument('<name>')
    .action(async (administrator: string, name: string) => {
      await context.confirmed({
        foresee: ({ consequences }) => consequences.ofApiTokenRemoval(administrator, name),
        act: ({ administrators }, caller) => administrators.removeApiToken(caller, administrator, name),
        done: () => [`the API token ${name} of ${administrator} is removed`, { administrator, name }],
      });
    });
}

function addAdd(apiToken: Command, context: CommandContext): void {
  const { clock } = context.dependencies;
  addCommand(apiToken, 'add', 'make an API token and print it, this once', [
    'admin api-token add bert nagios --rights "monitoring:*" --expires 90D',
    'admin api-token add bert portal --rights ocra:request,ocra:checkstatus',
  ])
    .argument('<administrator>', 'on whose behalf it speaks')
    .argument('<name>', 'what it is called')
    .requiredOption(
      '--rights <list>',
      'what it may do: scope:action, comma separated (monitoring:*)',
      splitList,
    )
    .option(
      '--expires <when>',
      'when it ends: a date (2027-01-31) or a duration (90D); else never',
      expiryOption(clock),
    )
    .action(async (administrator: string, name: string, { rights, expires }: AddOptions) => {
      const { token } = await context.withServices(({ administrators }, caller) =>
        administrators.addApiToken(caller, administrator, {
          name,
          rights,
          ...(expires !== undefined && { expiresAt: expires() }),
        }),
      );
      const output = context.output;
      output.say('This is shown once; only its hash is kept:');
      output.done(token, { administrator, name, token });
    });
}

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
function addSignInCommands(admin: Command, context: CommandContext): void {
  addSecondFactor(admin, context);
  addSessions(admin, context);
}

function addSecondFactor(admin: Command, context: CommandContext): void {
  addConfirmedCommand(
    admin,
    'second-factor',
    'set or remove the second factor of an administrator; a change ends all sessions',
    [
      'admin second-factor bert --token QR17',
      'admin second-factor bert --passkey-link',
      'admin second-factor bert --remove --yes',
    ],
  )
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
        await context.confirmed({
          foresee: ({ consequences }) => consequences.ofSecondFactor(name, { serial: token }),
          act: ({ secondFactors }, caller) => secondFactors.setToken(caller, name, token),
          done: () => [
            `the administrator ${name} signs in with the token ${token}`,
            { name, second_factor: 'token', serial: token },
          ],
        });
      } else if (passkeyLink === true) {
        await printLink(name, context);
      } else if (remove === true) {
        await context.confirmed({
          foresee: ({ consequences }) => consequences.ofSecondFactor(name, undefined),
          act: ({ secondFactors }, caller) => secondFactors.remove(caller, name),
          done: () => [
            `the administrator ${name} signs in with the password alone`,
            { name, second_factor: null },
          ],
        });
      } else {
        command.error('error: one of --token, --passkey-link and --remove is needed');
      }
    });
}

async function printLink(name: string, context: CommandContext): Promise<void> {
  const { link, expiresAt } = await context.withServices(({ secondFactors }, caller) =>
    secondFactors.passkeyLink(caller, name),
  );
  const output = context.output;
  output.say(`For ${name}, once, until ${expiresAt.toISOString()}:`);
  output.done(link, { name, link, expires: expiresAt.toISOString() });
}

function addSessions(admin: Command, context: CommandContext): void {
  addCommand(admin, 'sessions', 'list open sessions and logins, or end them', [
    'admin sessions',
    'admin sessions bert --end 17',
    'admin sessions bert --end-all',
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
