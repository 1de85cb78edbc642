import type { Command } from 'commander';
import type { Realm } from '../../../configuration/configuration.ts';
import { CliFailure, EXIT_CODES } from '../../cli-failure.ts';
import { actOnceConfirmed, withConfirmation } from '../../confirmed-command.ts';
import type { CommandContext } from '../../command-context.ts';
import { parseList } from '../../option-values.ts';
import type { Column } from '../../output.ts';
import { unknownName } from '../../unknown-name.ts';
import { examples } from '../../examples.ts';

interface ResolversOption {
  readonly resolvers: readonly string[];
}

const REALM_COLUMNS: readonly Column<Realm>[] = [
  { key: 'name', title: 'NAME', value: ({ name }) => name },
  {
    key: 'default',
    title: 'DEFAULT',
    value: ({ isDefault }) => isDefault,
    style: ({ isDefault }) => (isDefault ? 'green' : 'dim'),
  },
  { key: 'resolvers', title: 'RESOLVERS', value: ({ resolvers }) => resolvers },
];

/** Adds `tankeeper realm …`. */
export function addRealmCommands(program: Command, context: CommandContext): void {
  const realm = program.command('realm').description('realms: sets of users, fed from resolvers');
  addWriting(realm, context);
  addReading(realm, context);
  addDefault(realm, context);
}

function addWriting(realm: Command, context: CommandContext): void {
  const resolversOption = ['--resolvers <list>', 'comma separated, in the order of the look-up'] as const;
  realm
    .command('add')
    .addHelpText(
      'after',
      examples('realm add office --resolvers staff', 'realm add all --resolvers staff,partners'),
    )
    .description('add a realm; the first one becomes the default')
    .argument('<name>')
    .requiredOption(...resolversOption, parseList)
    .action(async (name: string, { resolvers }: ResolversOption, command: Command) => {
      await context.withServices(async ({ realms }, caller) => {
        if ((await realms.list()).some((known) => known.name === name.trim().toLowerCase())) {
          throw new CliFailure(`there is a realm ${name} already; \`tankeeper realm set\` changes it`);
        }
        await realms.set(caller, { name, resolvers });
      });
      context.output(command).done(`the realm ${name} is added`, { name, resolvers });
    });
  withConfirmation(realm.command('set'))
    .addHelpText(
      'after',
      examples('realm set office --resolvers staff', 'realm set office --resolvers staff,partners'),
    )
    .description('set the resolvers of a realm')
    .argument('<name>')
    .requiredOption(...resolversOption, parseList)
    .action(async (name: string, { resolvers }: ResolversOption, command: Command) => {
      const outcome = await actOnceConfirmed(context, command, {
        foresee: async ({ realms, consequences }) => {
          requireRealm(await realms.list(), name);
          return consequences.ofRealmChange({ name, resolvers });
        },
        act: async ({ realms }, caller) => {
          requireRealm(await realms.list(), name);
          await realms.set(caller, { name, resolvers });
        },
      });
      if (outcome !== undefined) {
        context.output(command).done(`the realm ${name} has these resolvers now: ${resolvers.join(', ')}`, {
          name,
          resolvers,
        });
      }
    });
  withConfirmation(realm.command('remove'))
    .addHelpText('after', examples('realm remove office', '--json realm remove office'))
    .description('remove a realm, also from its tokens')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      const outcome = await actOnceConfirmed(context, command, {
        foresee: ({ consequences }) => consequences.ofRealmRemoval(name),
        act: ({ realms }, caller) => realms.remove(caller, name),
      });
      if (outcome !== undefined) {
        context.output(command).done(`the realm ${name} is removed`, { name });
      }
    });
}

function addReading(realm: Command, context: CommandContext): void {
  realm
    .command('list')
    .addHelpText('after', examples('realm list', '--json realm list'))
    .description('list the realms')
    .action(async (_options: object, command: Command) => {
      const found = await context.withServices(({ realms }) => realms.list());
      context.output(command).list(found, REALM_COLUMNS, 'no realms');
    });
  realm
    .command('show')
    .addHelpText('after', examples('realm show office', '--json realm show office'))
    .description('show a realm')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      const found = await context.withServices(({ realms }) => realms.list());
      context.output(command).record(requireRealm(found, name), REALM_COLUMNS);
    });
}

function addDefault(realm: Command, context: CommandContext): void {
  withConfirmation(realm.command('default'))
    .addHelpText('after', examples('realm default office', 'realm default --none'))
    .description('say which realm counts where none is named')
    .argument('[name]')
    .option('--none', 'no realm does')
    .action(async (name: string | undefined, { none }: { none?: true }, command: Command) => {
      if ((name === undefined) !== (none === true)) {
        throw new CliFailure('give either NAME or --none', EXIT_CODES.usage);
      }
      const outcome = await actOnceConfirmed(context, command, {
        foresee: ({ consequences }) => consequences.ofDefaultRealm(name ?? null),
        act: ({ realms }, caller) => realms.setDefault(caller, name ?? null),
      });
      if (outcome !== undefined) {
        const sentence =
          name === undefined ? 'there is no default realm now' : `the default realm is ${name}`;
        context.output(command).done(sentence, { default: name ?? null });
      }
    });
}

function requireRealm(realms: readonly Realm[], name: string): Realm {
  const found = realms.find((realm) => realm.name === name.trim().toLowerCase());
  if (found === undefined) {
    throw unknownName(
      'realm',
      name,
      realms.map((realm) => realm.name),
    );
  }
  return found;
}
