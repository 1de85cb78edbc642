import type { Command } from 'commander';
import { CliFailure, EXIT_CODES, unknownName } from '../cli-failure.ts';
import { addCommand, addConfirmedCommand, type CommandContext } from '../command-context.ts';
import type { Column } from '../output.ts';
import type { Realm } from '../../configuration/configuration.ts';
import { splitList } from '../../kernel/text.ts';

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
  addCommand(realm, 'add', 'add a realm; the first one becomes the default', [
    'realm add office --resolvers staff',
    'realm add all --resolvers staff,partners',
  ])
    .argument('<name>')
    .requiredOption(...resolversOption, splitList)
    .action(async (name: string, { resolvers }: ResolversOption) => {
      await context.withServices(async ({ realms }, caller) => {
        if ((await realms.list()).some((known) => known.name === name.trim().toLowerCase())) {
          throw new CliFailure(`there is a realm ${name} already; \`tankeeper realm set\` changes it`);
        }
        await realms.set(caller, { name, resolvers });
      });
      context.output.done(`the realm ${name} is added`, { name, resolvers });
    });
  addConfirmedCommand(realm, 'set', 'set the resolvers of a realm', [
    'realm set office --resolvers staff',
    'realm set office --resolvers staff,partners',
  ])
    .argument('<name>')
    .requiredOption(...resolversOption, splitList)
    .action(async (name: string, { resolvers }: ResolversOption) => {
      await context.confirmed({
        foresee: async ({ realms, consequences }) => {
          requireRealm(await realms.list(), name);
          return consequences.ofRealmChange({ name, resolvers });
        },
        act: async ({ realms }, caller) => {
          requireRealm(await realms.list(), name);
          await realms.set(caller, { name, resolvers });
        },
        done: () => [
          `the realm ${name} has these resolvers now: ${resolvers.join(', ')}`,
          { name, resolvers },
        ],
      });
    });
  addConfirmedCommand(realm, 'remove', 'remove a realm, also from its tokens', [
    'realm remove office',
    '--json realm remove office',
  ])
    .argument('<name>')
    .action(async (name: string) => {
      await context.confirmed({
        foresee: ({ consequences }) => consequences.ofRealmRemoval(name),
        act: ({ realms }, caller) => realms.remove(caller, name),
        done: () => [`the realm ${name} is removed`, { name }],
      });
    });
}

function addReading(realm: Command, context: CommandContext): void {
  addCommand(realm, 'list', 'list the realms', ['realm list', '--json realm list']).action(async () => {
    const found = await context.withServices(({ realms }) => realms.list());
    context.output.list(found, REALM_COLUMNS, 'no realms');
  });
  addCommand(realm, 'show', 'show a realm', ['realm show office', '--json realm show office'])
    .argument('<name>')
    .action(async (name: string) => {
      const found = await context.withServices(({ realms }) => realms.list());
      context.output.record(requireRealm(found, name), REALM_COLUMNS);
    });
}

function addDefault(realm: Command, context: CommandContext): void {
  addConfirmedCommand(realm, 'default', 'say which realm counts where none is named', [
    'realm default office',
    'realm default --none',
  ])
    .argument('[name]')
    .option('--none', 'no realm does')
    .action(async (name: string | undefined, { none }: { none?: true }) => {
      if ((name === undefined) !== (none === true)) {
        throw new CliFailure('give either NAME or --none', EXIT_CODES.usage);
      }
      const sentence = name === undefined ? 'there is no default realm now' : `the default realm is ${name}`;
      await context.confirmed({
        foresee: ({ consequences }) => consequences.ofDefaultRealm(name ?? null),
        act: ({ realms }, caller) => realms.setDefault(caller, name ?? null),
        done: () => [sentence, { default: name ?? null }],
      });
    });
}

function requireRealm(realms: readonly Realm[], name: string): Realm {
  const found = realms.find((realm) => realm.name === name.trim().toLowerCase());
  if (found === undefined) {
    throw unknownName('realm', name);
  }
  return found;
}
