import type { Command } from 'commander';
import type { PolicyDraft } from '../../../policy/policy.ts';
import { type Policy, POLICY_SCOPES } from '../../../policy/stored-policy.ts';
import { didYouMean } from '../../../kernel/nearest-name.ts';
import { listUnknownNames } from '../../../policy/unknown-names.ts';
import { CliFailure, EXIT_CODES } from '../../cli-failure.ts';
import type { Services } from '../../../services.ts';
import { actOnceConfirmed, withConfirmation } from '../../confirmed-command.ts';
import type { CommandContext } from '../../command-context.ts';
import type { Column } from '../../output.ts';
import { examples } from '../../examples.ts';
import { addPolicyExplain } from './policy-explain-command.ts';

interface SetOptions {
  readonly scope: string;
  readonly action: string;
  readonly realm?: string;
  readonly user?: string;
  readonly client?: string;
  readonly time?: string;
  readonly inactive?: true;
  readonly force?: true;
}

const POLICY_COLUMNS: readonly Column<Policy>[] = [
  { key: 'name', title: 'NAME', value: ({ name }) => name },
  { key: 'scope', title: 'SCOPE', value: ({ scope }) => scope },
  { key: 'action', title: 'ACTION', value: ({ action }) => action },
  { key: 'realm', title: 'REALM', value: ({ realm }) => realm },
  { key: 'user', title: 'USER', value: ({ user }) => user },
  { key: 'client', title: 'CLIENT', value: ({ client }) => client },
  { key: 'time', title: 'TIME', value: ({ time }) => time },
  {
    key: 'active',
    title: 'ACTIVE',
    value: ({ active }) => active,
    style: ({ active }) => (active ? 'green' : 'dim'),
    rank: 1,
  },
];

/** Adds `tankeeper policy …`. */
export function addPolicyCommands(program: Command, context: CommandContext): void {
  const policy = program.command('policy').description('policies: who may do what, and how tokens behave');
  addListAndShow(policy, context);
  addPolicyExplain(policy, context);
  addSet(policy, context);
  withConfirmation(policy.command('remove'))
    .addHelpText('after', examples('policy remove answers', '--json policy remove answers'))
    .description('remove a policy')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      const outcome = await actOnceConfirmed(context, command, {
        foresee: ({ consequences }, caller) => consequences.ofPolicyRemoval(caller, name),
        act: ({ policies }, caller) => policies.remove(caller, name),
      });
      if (outcome !== undefined) {
        context.output(command).done(`the policy ${name} is removed`, { name });
      }
    });
  for (const [verb, active] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    withConfirmation(policy.command(verb))
      .addHelpText('after', examples(`policy ${verb} answers`, `--json policy ${verb} answers`))
      .description(`${verb} a policy; all else of it stays`)
      .argument('<name>')
      .action(async (name: string, _options: object, command: Command) => {
        const outcome = await actOnceConfirmed(context, command, {
          foresee: async ({ policies, consequences }, caller) =>
            consequences.ofPolicy(caller, { ...(await policies.show(name)), active }),
          act: async ({ policies }, caller) =>
            policies.set(caller, { ...(await policies.show(name)), active }),
        });
        if (outcome !== undefined) {
          context.output(command).done(`the policy ${name} is ${verb}d`, { name, active });
        }
      });
  }
}

function addListAndShow(policy: Command, context: CommandContext): void {
  policy
    .command('list')
    .addHelpText('after', examples('policy list', 'policy list --scope authentication'))
    .description('list the policies')
    .option('--scope <scope>', `only those of one scope: ${POLICY_SCOPES.join(', ')}`)
    .action(async ({ scope }: { scope?: string }, command: Command) => {
      if (scope !== undefined && !POLICY_SCOPES.some((known) => known === scope)) {
        throw new CliFailure(
          `unknown scope ${scope}${didYouMean(scope, POLICY_SCOPES, ';')} the scopes are ${POLICY_SCOPES.join(', ')}`,
          EXIT_CODES.usage,
        );
      }
      const found = await context.withServices(({ policies }) => policies.list());
      const shown = found.filter((one) => scope === undefined || one.scope === scope);
      context.output(command).list(shown, POLICY_COLUMNS, 'no policies');
    });
  policy
    .command('show')
    .addHelpText('after', examples('policy show answers', '--json policy show answers'))
    .description('show a policy')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      const found = await context.withServices(({ policies }) => policies.show(name));
      context.output(command).record(found, POLICY_COLUMNS);
    });
}

function addSet(policy: Command, context: CommandContext): void {
  withConfirmation(policy.command('set'))
    .addHelpText(
      'after',
      examples(
        'policy set answers --scope authentication --realm "*" --action qrtanurl=https://tan.example.org/ocra/check_t',
        'policy set helpdesk --scope admin --realm office --user bert --action reset,disable --inactive',
      ),
    )
    .description('create a policy, or replace the one of that name')
    .argument('<name>')
    .requiredOption('--scope <scope>', POLICY_SCOPES.join(', '))
    .requiredOption('--action <list>', 'comma separated: action or action=value')
    .option('--realm <list>', 'realms that it is for, * for all')
    .option('--user <list>', 'administrators (or users, in the scope authentication), * for all')
    .option('--client <list>', 'addresses and networks of clients; left out: all')
    .option('--time <times>', 'minute hour day month weekday year; left out: always')
    .option('--inactive', 'switched off')
    .option('--force', 'also with realms and resolvers that do not exist yet')
    .action(async (name: string, options: SetOptions, command: Command) => {
      const draft = draftOf(name, options);
      const assertKnown = async (policies: Services['policies']): Promise<void> => {
        const unknown = options.force === true ? [] : await policies.unknownNames(draft);
        if (unknown.length > 0) {
          throw new CliFailure(
            `the policy ${name} names what does not exist: ${listUnknownNames(unknown)} (--force stores it all the same)`,
          );
        }
      };
      const outcome = await actOnceConfirmed(context, command, {
        foresee: async ({ policies, consequences }, caller) => {
          await assertKnown(policies);
          return consequences.ofPolicy(caller, draft);
        },
        act: async ({ policies }, caller) => {
          await assertKnown(policies);
          await policies.set(caller, draft);
        },
      });
      if (outcome !== undefined) {
        context.output(command).done(`the policy ${name} is set`, { name });
      }
    });
}

function draftOf(
  name: string,
  { scope, action, realm, user, client, time, inactive }: SetOptions,
): PolicyDraft {
  return {
    name,
    scope,
    action,
    active: inactive !== true,
    ...(realm !== undefined && { realm }),
    ...(user !== undefined && { user }),
    ...(client !== undefined && { client }),
    ...(time !== undefined && { time }),
  };
}
