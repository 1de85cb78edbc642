import type { Command } from 'commander';
import type { Resolver } from '../../../configuration/configuration.ts';
import { describeExamination, isUsual } from '../../../resolvers/resolver-trial.ts';
import { actOnceConfirmed, withConfirmation } from '../../confirmed-command.ts';
import type { CommandContext } from '../../command-context.ts';
import type { Column } from '../../output.ts';
import { unknownName } from '../../unknown-name.ts';
import { addResolverSetCommands } from './resolver-set-commands.ts';
import { examples } from '../../examples.ts';
import { withSlowWorkLine } from '../../slow-work-line.ts';

const RESOLVER_COLUMNS: readonly Column<Resolver>[] = [
  { key: 'name', title: 'NAME', value: ({ name }) => name },
  { key: 'kind', title: 'KIND', value: ({ kind }) => kind, whole: true },
  {
    key: 'settings',
    title: 'SETTINGS',
    value: ({ settings }) => settings,
    text: ({ settings }) =>
      Object.entries(settings)
        .map(([key, value]) => `${key}=${value}`)
        .join(', '),
  },
  // Shows only that there is a secret, never the secret itself.
  { key: 'secret', title: 'SECRET', value: ({ secretStamp }) => typeof secretStamp === 'string' },
];

/** Adds `tankeeper resolver …`. */
export function addResolverCommands(program: Command, context: CommandContext): void {
  const resolver = program.command('resolver').description('resolvers: where users live');
  addResolverSetCommands(resolver, context);
  resolver
    .command('list')
    .addHelpText('after', examples('resolver list', '--json resolver list'))
    .description('list the resolvers')
    .action(async (_options: object, command: Command) => {
      const found = await context.withServices(({ resolvers }) => resolvers.list());
      context.output(command).list(found, RESOLVER_COLUMNS, 'no resolvers');
    });
  resolver
    .command('show')
    .addHelpText('after', examples('resolver show staff', '--json resolver show staff'))
    .description('show a resolver')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      const found = await context.withServices(({ resolvers }) => resolvers.list());
      context.output(command).record(requireResolver(found, name), RESOLVER_COLUMNS);
    });
  withConfirmation(resolver.command('remove'))
    .addHelpText('after', examples('resolver remove staff', '--json resolver remove staff'))
    .description('remove a resolver that no realm and no token refers to')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      const outcome = await actOnceConfirmed(context, command, {
        foresee: ({ consequences }) => consequences.ofResolverRemoval(name),
        act: ({ resolvers }, caller) => resolvers.remove(caller, name),
      });
      if (outcome !== undefined) {
        context.output(command).done(`the resolver ${name} is removed`, { name });
      }
    });
  resolver
    .command('test')
    .addHelpText('after', examples('resolver test staff', '--json resolver test staff'))
    .description('try whether its users can be read')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      const found = await context.withServices(({ resolvers }) =>
        withSlowWorkLine(context.dependencies.io, 'reading users', () => resolvers.test(name)),
      );
      const text = `the resolver ${name} answers: ${describeExamination(found)}`;
      context.output(command).done(text, { name, users: found.users, ...(!isUsual(found) && found) });
    });
}

function requireResolver(resolvers: readonly Resolver[], name: string): Resolver {
  const found = resolvers.find((resolver) => resolver.name === name);
  if (found === undefined) {
    throw unknownName(
      'resolver',
      name,
      resolvers.map((resolver) => resolver.name),
    );
  }
  return found;
}
