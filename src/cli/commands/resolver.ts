import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CliFailure, EXIT_CODES, unknownName } from '../cli-failure.ts';
import { addCommand, type CommandContext } from '../command-context.ts';
import { readFileBytes } from '../files.ts';
import { withProgress } from '../progress.ts';
import { type Resolver, RESOLVER_KINDS, type ResolverKind } from '../../configuration/configuration.ts';
import { isServiceError } from '../../kernel/errors.ts';
import { mayHoldPassword } from '../../kernel/text.ts';
import type { Caller } from '../../policy/caller.ts';
import type { ResolverDraft } from '../../resolvers/resolver-draft.ts';
import { unavailableResolvers } from '../../resolvers/user-source.ts';
import { SETTINGS_RULES } from '../../resolvers/settings/settings-rules.ts';
import type { Services } from '../../services.ts';

/** Adds `tankeeper resolver add`, `set` and `test`. */
export function addResolverCommands(resolver: Command, context: CommandContext): void {
  addAdd(resolver, context);
  addSet(resolver, context);
  addCommand(resolver, 'test', 'try whether its users can be read', [
    'resolver test staff',
    '--json resolver test staff',
  ])
    .argument('<name>')
    .action(async (name: string) => {
      const found = await context.withServices(({ resolvers }) =>
        withProgress(context.dependencies.io, 'reading users', () => resolvers.test(name)),
      );
      const { describeExamination, isUsual } = await import('../../resolvers/resolver-service.ts');
      const text = `the resolver ${name} answers: ${describeExamination(found)}`;
      context.output.done(text, { name, users: found.users, ...(!isUsual(found) && found) });
    });
}

/** Stores the resolver without a trial. */
interface TrialOption {
  readonly force?: true;
}

interface AddOptions extends SettingOptions, TrialOption {
  readonly kind: ResolverKind;
  readonly file?: string;
}

interface SetOptions extends SettingOptions, TrialOption {
  readonly file?: string;
  readonly unset?: readonly string[];
  readonly removeSecret?: true;
}

function addAdd(resolver: Command, context: CommandContext): void {
  const command = addCommand(resolver, 'add', 'add a resolver', [
    'resolver add staff --kind managed',
    'resolver add corp --kind ldap --set LDAPURI=ldaps://ad.example.org --set LDAPBASE=dc=example,dc=org --ask-secret',
  ])
    .argument('<name>')
    .addOption(
      new Option(
        '--kind <kind>',
        'managed: users kept here; passwd: a file as /etc/passwd; sql: a table; ldap: a directory',
      )
        .choices(RESOLVER_KINDS)
        .default('managed'),
    );
  withSettings(command).action(async (name: string, options: AddOptions) => {
    const { kind, file } = options;
    if ((kind === 'passwd') !== (file !== undefined)) {
      throw new CliFailure('a passwd resolver needs --file FILE, no other has one', EXIT_CODES.usage);
    }
    const settings = await mergeSettings(kind, fileSetting(file), options);
    const secret = await readResolverSecret(context, name, options);
    await context.withServices(async ({ resolvers }, caller) => {
      if ((await resolvers.list()).some((known) => known.name === name)) {
        throw new CliFailure(`there is a resolver ${name} already; \`tankeeper resolver set\` changes it`);
      }
      const draft = { name, kind, settings, ...(secret !== undefined && { secret }) };
      await confirmTrial(context, resolvers, caller, draft, options);
      await resolvers.set(caller, draft);
    });
    context.output.done(`the resolver ${name} is added`, { name, kind, settings });
  });
}

function addSet(resolver: Command, context: CommandContext): void {
  const command = addCommand(
    resolver,
    'set',
    'change settings of a resolver; what is not named stays as it is',
    ['resolver set corp --set TIMEOUT=5', 'resolver set corp --secret-file bind.password --unset SIZELIMIT'],
  )
    .argument('<name>')
    .option('--unset <key>', 'take a setting away; may be repeated', collectKey)
    .addOption(
      new Option('--remove-secret', 'log in without a password from now on').conflicts([
        'secretFile',
        'askSecret',
      ]),
    );
  withSettings(command).action(async (name: string, options: SetOptions) => {
    const newSecret = await readResolverSecret(context, name, options);
    const secret = options.removeSecret === true ? null : newSecret;
    const { kind, settings } = await context.withServices(async ({ resolvers }, caller) => {
      const all = await resolvers.list();
      const known = all.find((one) => one.name === name);
      if (known === undefined) {
        throw unknownName('resolver', name);
      }
      const changed = await changedSettings(known, options);
      const draft = {
        name,
        kind: known.kind,
        settings: changed,
        ...(secret !== undefined && { secret }),
      };
      await confirmTrial(context, resolvers, caller, draft, options);
      await resolvers.set(caller, draft);
      return { kind: known.kind, settings: changed };
    });
    context.output.done(`the resolver ${name} is changed`, { name, kind, settings });
  });
}

/**
 * Tries the resolver before it is stored, and asks where its users cannot be read.
 * @throws CliFailure where the answer is no, or nobody can be asked
 */
async function confirmTrial(
  context: CommandContext,
  resolvers: Services['resolvers'],
  caller: Caller,
  draft: ResolverDraft,
  { force }: TrialOption,
): Promise<void> {
  if (force === true) {
    return;
  }
  try {
    await resolvers.testDraft(caller, draft);
  } catch (error) {
    if (!isServiceError(error, 'resolver.unavailable')) {
      throw error;
    }
    const [failed] = unavailableResolvers(error);
    const reason = failed?.describe() ?? error.message;
    await context.confirmOrFail(`the users of ${draft.name} cannot be read: ${reason}`, '--force stores it');
  }
}

function changedSettings({ kind, settings }: Resolver, options: SetOptions): Promise<Resolver['settings']> {
  if (options.file !== undefined && kind !== 'passwd') {
    throw new CliFailure('a passwd resolver needs --file FILE, no other has one', EXIT_CODES.usage);
  }
  return mergeSettings(kind, { ...settings, ...fileSetting(options.file) }, options);
}

function fileSetting(file: string | undefined): Resolver['settings'] {
  return file === undefined ? {} : { fileName: resolve(file) };
}

function withSettings(command: Command): Command {
  return command
    .option('--file <file>', 'the file of a passwd resolver, as the server sees it')
    .option('--set <key=value>', 'a setting of an sql or ldap resolver; may be repeated', collectPair)
    .option(
      '--set-file <key=file>',
      'the same, its value read from a file: CACERTIFICATE=ca.pem',
      collectPair,
    )
    .option('--secret-file <file>', 'a file with the password that the resolver logs in with, - for stdin')
    .addOption(new Option('--ask-secret', 'ask for that password').conflicts('secretFile'))
    .option('--force', 'store it without trying whether its users can be read')
    .addHelpText('after', settingsHelp);
}

/** Bytes of a file that holds a setting. */
const MAX_SETTING_BYTES = 1 << 20;

/** One `KEY=VALUE` of the command line. */
type SettingPair = readonly [key: string, value: string];

/** The options for a resolver's settings. */
interface SettingOptions {
  readonly set?: readonly SettingPair[];
  /** Keys with files that hold their values. */
  readonly setFile?: readonly SettingPair[];
  readonly secretFile?: string;
  readonly askSecret?: true;
}

/** The settings of a resolver. */
type TypedSettings = Resolver['settings'];

/** @returns the pairs so far and one more, for an option that may be repeated */
function collectPair(text: string, previous: readonly SettingPair[] = []): readonly SettingPair[] {
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key.trim() === '') {
    throw new InvalidArgumentError('It must be KEY=VALUE.');
  }
  return [...previous, [key.trim(), value]];
}

/** @returns the keys so far and one more, for an option that may be repeated */
function collectKey(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, text.trim()];
}

/**
 * @param known the present settings; `unset` names some to remove
 * @returns the new settings, each under its canonical name
 * @throws CliFailure for a key that the kind does not have, for a secret, for a file that cannot be read
 */
async function mergeSettings(
  kind: ResolverKind,
  known: TypedSettings,
  { set = [], setFile = [], unset = [] }: SettingOptions & { readonly unset?: readonly string[] },
): Promise<TypedSettings> {
  const read = await Promise.all(
    setFile.map(async ([key, file]): Promise<SettingPair> => [
      key,
      (await readFileBytes(file, MAX_SETTING_BYTES)).toString('utf8'),
    ]),
  );
  const settings = new Map(Object.entries(known));
  for (const key of unset) {
    settings.delete(canonicalKey(kind, key));
  }
  for (const [key, value] of [...set, ...read]) {
    assertNoSecret(key, value);
    settings.set(canonicalKey(kind, key), value);
  }
  return Object.fromEntries(settings);
}

/** @returns the secret to log in with; undefined if none is given */
async function readResolverSecret(
  context: CommandContext,
  name: string,
  { secretFile, askSecret }: SettingOptions,
): Promise<string | undefined> {
  return secretFile === undefined && askSecret === undefined
    ? undefined
    : context.newSecret(`Password of the resolver ${name}`, '--secret-file', secretFile);
}

/** @returns the keys of `--set`, by kind, for the help text */
function settingsHelp(): string {
  const lines = Object.entries(SETTINGS_RULES).flatMap(([kind, { names, secret }]) => {
    const plain = names.filter((name) => name !== secret);
    return plain.length > 0 && kind !== 'passwd' ? [`  ${kind}: ${plain.join(', ')}`] : [];
  });
  return ['', 'Settings (--set KEY=VALUE), in any case:', ...lines].join('\n');
}

function canonicalKey(kind: ResolverKind, key: string): string {
  const { names, secret } = SETTINGS_RULES[kind];
  const found = names.find((name) => name.toLowerCase() === key.toLowerCase());
  if (found === undefined) {
    const plain = names.filter((name) => name !== secret);
    throw new CliFailure(
      `a resolver of the kind ${kind} has no setting ${key}; it has ${plain.join(', ') || 'none'}`,
      EXIT_CODES.usage,
    );
  }
  if (found === secret) {
    throw new CliFailure(
      `${found} is secret: give it with --secret-file FILE (- for stdin) or --ask-secret`,
      EXIT_CODES.usage,
    );
  }
  return found;
}

/** Every user of the machine can read the command line, and the command prints the settings. */
function assertNoSecret(key: string, value: string): void {
  if (mayHoldPassword(value)) {
    throw new CliFailure(
      `${key} holds a password: leave it out, and give it with --secret-file FILE (- for stdin) or --ask-secret`,
      EXIT_CODES.usage,
    );
  }
}
