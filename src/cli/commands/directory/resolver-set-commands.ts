import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { RESOLVER_KINDS, type Resolver, type ResolverKind } from '../../../configuration/configuration.ts';
import { isServiceError } from '../../../kernel/errors.ts';
import type { Caller } from '../../../policy/caller.ts';
import { unavailableResolvers } from '../../../resolvers/resolver-unavailable.ts';
import type { ResolverDraft } from '../../../resolvers/resolver-draft.ts';
import { CliFailure, EXIT_CODES } from '../../cli-failure.ts';
import type { Services } from '../../../services.ts';
import { confirmOrFail } from '../../confirmed-command.ts';
import type { CommandContext } from '../../command-context.ts';
import { unknownName } from '../../unknown-name.ts';
import {
  collectKey,
  collectPair,
  mergeSettings,
  readResolverSecret,
  type SettingOptions,
  settingsHelp,
} from './resolver-settings-input.ts';
import { examples } from '../../examples.ts';

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

/** Adds `tankeeper resolver add` and `set`. */
export function addResolverSetCommands(resolver: Command, context: CommandContext): void {
  addAdd(resolver, context);
  addSet(resolver, context);
}

function addAdd(resolver: Command, context: CommandContext): void {
  const command = resolver
    .command('add')
    .addHelpText(
      'after',
      examples(
        'resolver add staff --kind managed',
        'resolver add corp --kind ldap --set LDAPURI=ldaps://ad.example.org --set LDAPBASE=dc=example,dc=org --ask-secret',
      ),
    )
    .description('add a resolver')
    .argument('<name>')
    .addOption(
      new Option(
        '--kind <kind>',
        'managed: users kept here; passwd: a file as /etc/passwd; sql: a table; ldap: a directory',
      )
        .choices(RESOLVER_KINDS)
        .default('managed'),
    );
  withSettings(command).action(async (name: string, options: AddOptions, self: Command) => {
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
    context.output(self).done(`the resolver ${name} is added`, { name, kind, settings });
  });
}

function addSet(resolver: Command, context: CommandContext): void {
  const command = resolver
    .command('set')
    .addHelpText(
      'after',
      examples(
        'resolver set corp --set TIMEOUT=5',
        'resolver set corp --secret-file bind.password --unset SIZELIMIT',
      ),
    )
    .description('change settings of a resolver; what is not named stays as it is')
    .argument('<name>')
    .option('--unset <key>', 'take a setting away; may be repeated', collectKey)
    .addOption(
      new Option('--remove-secret', 'log in without a password from now on').conflicts([
        'secretFile',
        'askSecret',
      ]),
    );
  withSettings(command).action(async (name: string, options: SetOptions, self: Command) => {
    const newSecret = await readResolverSecret(context, name, options);
    const secret = options.removeSecret === true ? null : newSecret;
    const { kind, settings } = await context.withServices(async ({ resolvers }, caller) => {
      const all = await resolvers.list();
      const known = all.find((one) => one.name === name);
      if (known === undefined) {
        const names = all.map((one) => one.name);
        throw unknownName('resolver', name, names);
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
    context.output(self).done(`the resolver ${name} is changed`, { name, kind, settings });
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
    await confirmOrFail(context, `the users of ${draft.name} cannot be read: ${reason}`, '--force stores it');
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
