import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Resolver, ResolverKind } from '../accounts/setup.ts';
import { CliFailure, EXIT_CODES } from './cli-failure.ts';
import type { CommandContext } from './command-context.ts';
import type { Column } from './output.ts';

interface AddOptions {
  readonly kind: ResolverKind;
  readonly file?: string;
}

const RESOLVER_COLUMNS: readonly Column<Resolver>[] = [
  { key: 'name', title: 'NAME', value: ({ name }) => name },
  { key: 'kind', title: 'KIND', value: ({ kind }) => kind },
  {
    key: 'settings',
    title: 'SETTINGS',
    value: ({ settings }) => settings,
    text: ({ settings }) =>
      Object.entries(settings)
        .map(([key, value]) => `${key}=${value}`)
        .join(', '),
  },
];

/** Adds `tankeeper resolver …`. */
export function addResolverCommands(program: Command, context: CommandContext): void {
  const resolver = program.command('resolver').description('resolvers: where users live');
  addAdd(resolver, context);
  resolver
    .command('list')
    .description('list the resolvers')
    .action(async (_options: object, command: Command) => {
      const found = await context.withServices(({ realms }, caller) => realms.listResolvers(caller));
      context.output(command).list(found, RESOLVER_COLUMNS, 'no resolvers');
    });
  resolver
    .command('show')
    .description('show a resolver')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      const found = await context.withServices(({ realms }, caller) => realms.listResolvers(caller));
      context.output(command).record(requireResolver(found, name), RESOLVER_COLUMNS);
    });
  resolver
    .command('remove')
    .description('remove a resolver that no realm and no token refers to')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      await context.withServices(({ realms }, caller) => realms.removeResolver(caller, name));
      context.output(command).done(`the resolver ${name} is removed`, { name });
    });
  resolver
    .command('test')
    .description('try whether its users can be read')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      const users = await context.withServices(({ realms }, caller) => realms.testResolver(caller, name));
      context.output(command).done(`the resolver ${name} answers: ${users} users`, { name, users });
    });
}

function addAdd(resolver: Command, context: CommandContext): void {
  resolver
    .command('add')
    .description('add a resolver')
    .argument('<name>')
    .addOption(
      new Option('--kind <kind>', 'managed: users kept here; passwd: a file as /etc/passwd')
        .choices(['managed', 'passwd'])
        .default('managed'),
    )
    .option('--file <file>', 'the file of a passwd resolver, as the server sees it')
    .action(async (name: string, { kind, file }: AddOptions, command: Command) => {
      if ((kind === 'passwd') !== (file !== undefined)) {
        throw new CliFailure('a passwd resolver needs --file FILE, a managed one has none', EXIT_CODES.usage);
      }
      const settings: Record<string, string> = file === undefined ? {} : { fileName: resolve(file) };
      await context.withServices(async ({ realms }, caller) => {
        if ((await realms.listResolvers(caller)).some((known) => known.name === name)) {
          throw new CliFailure(`there is a resolver ${name} already`);
        }
        await realms.setResolver(caller, { name, kind, settings });
      });
      context.output(command).done(`the resolver ${name} is added`, { name, kind, settings });
    });
}

function requireResolver(resolvers: readonly Resolver[], name: string): Resolver {
  const found = resolvers.find((resolver) => resolver.name === name);
  if (found === undefined) {
    throw new CliFailure(`there is no resolver ${name}`);
  }
  return found;
}
