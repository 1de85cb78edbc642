import { type Command, Option } from 'commander';
import { CliFailure, EXIT_CODES } from '../cli-failure.ts';
import { addCommand, addConfirmedCommand, type CommandContext } from '../command-context.ts';
import { type OptionInstant, pastInstantOption } from '../option-values.ts';
import type { Column, JsonValue } from '../output.ts';
import { splitList } from '../../kernel/text.ts';
import type { Caller } from '../../policy/caller.ts';
import type { RefusalExplanation } from '../../audit/explanation-service.ts';
import type { ExplainedRight, ExplainedValue, PolicyVerdict } from '../../policy/explanation.ts';
import type { PolicyDraft } from '../../policy/policy.ts';
import { type Policy, POLICY_SCOPES } from '../../policy/stored-policy.ts';
import type { Services } from '../../services.ts';

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
  },
];

/** Adds `tankeeper policy …`. */
export function addPolicyCommands(program: Command, context: CommandContext): void {
  const policy = program.command('policy').description('policies: who may do what, and how tokens behave');
  addListAndShow(policy, context);
  addPolicyExplain(policy, context);
  addSet(policy, context);
  addConfirmedCommand(policy, 'remove', 'remove a policy', [
    'policy remove answers',
    '--json policy remove answers',
  ])
    .argument('<name>')
    .action(async (name: string) => {
      await context.confirmed({
        foresee: ({ consequences }, caller) => consequences.ofPolicyRemoval(caller, name),
        act: ({ policies }, caller) => policies.remove(caller, name),
        done: () => [`the policy ${name} is removed`, { name }],
      });
    });
  for (const [verb, active] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    addConfirmedCommand(policy, verb, `${verb} a policy; all else of it stays`, [
      `policy ${verb} answers`,
      `--json policy ${verb} answers`,
    ])
      .argument('<name>')
      .action(async (name: string) => {
        await context.confirmed({
          foresee: async ({ policies, consequences }, caller) =>
            consequences.ofPolicy(caller, { ...(await policies.show(name)), active }),
          act: async ({ policies }, caller) =>
            policies.set(caller, { ...(await policies.show(name)), active }),
          done: () => [`the policy ${name} is ${verb}d`, { name, active }],
        });
      });
  }
}

function addListAndShow(policy: Command, context: CommandContext): void {
  addCommand(policy, 'list', 'list the policies', ['policy list', 'policy list --scope authentication'])
    .option('--scope <scope>', `only those of one scope: ${POLICY_SCOPES.join(', ')}`)
    .action(async ({ scope }: { scope?: string }) => {
      if (scope !== undefined && !POLICY_SCOPES.some((known) => known === scope)) {
        throw new CliFailure(
          `unknown scope ${scope}; the scopes are ${POLICY_SCOPES.join(', ')}`,
          EXIT_CODES.usage,
        );
      }
      const found = await context.withServices(({ policies }) => policies.list());
      const shown = found.filter((one) => scope === undefined || one.scope === scope);
      context.output.list(shown, POLICY_COLUMNS, 'no policies');
    });
  addCommand(policy, 'show', 'show a policy', ['policy show answers', '--json policy show answers'])
    .argument('<name>')
    .action(async (name: string) => {
      const found = await context.withServices(({ policies }) => policies.show(name));
      context.output.record(found, POLICY_COLUMNS);
    });
}

function addSet(policy: Command, context: CommandContext): void {
  addConfirmedCommand(policy, 'set', 'create a policy, or replace the one of that name', [
    'policy set answers --scope authentication --realm "*" --action qrtanurl=https://tan.example.org/ocra/check_t',
    'policy set helpdesk --scope admin --realm office --user bert --action reset,disable --inactive',
  ])
    .argument('<name>')
    .requiredOption('--scope <scope>', POLICY_SCOPES.join(', '))
    .requiredOption('--action <list>', 'comma separated: action or action=value')
    .option('--realm <list>', 'realms that it is for, * for all')
    .option('--user <list>', 'administrators (or users, in the scope authentication), * for all')
    .option('--client <list>', 'addresses and networks of clients; left out: all')
    .option('--time <times>', 'minute hour day month weekday year; left out: always')
    .option('--inactive', 'switched off')
    .option('--force', 'also with realms and resolvers that do not exist yet')
    .action(async (name: string, options: SetOptions) => {
      const draft = draftOf(name, options);
      const assertKnown = async (policies: Services['policies']): Promise<void> => {
        const unknown = options.force === true ? [] : await policies.unknownNames(draft);
        if (unknown.length > 0) {
          const { listUnknownNames } = await import('../../policy/policy-names.ts');
          throw new CliFailure(
            `the policy ${name} names what does not exist: ${listUnknownNames(unknown)} (--force stores it all the same)`,
          );
        }
      };
      await context.confirmed({
        foresee: async ({ policies, consequences }, caller) => {
          await assertKnown(policies);
          return consequences.ofPolicy(caller, draft);
        },
        act: async ({ policies }, caller) => {
          await assertKnown(policies);
          await policies.set(caller, draft);
        },
        done: () => [`the policy ${name} is set`, { name }],
      });
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

interface ExplainOptions {
  readonly realm?: string;
  readonly client?: string;
  readonly time?: OptionInstant;
  readonly groups?: readonly string[];
  readonly user?: string;
  readonly resolver?: string;
  readonly request?: string;
  readonly only?: 'allowed' | 'refused';
}

/** A right or a value, as it is shown. */
interface ExplanationLine {
  readonly name: string;
  /** `yes`, `no`, or the value. */
  readonly outcome: string;
  readonly realms: readonly string[];
  readonly policies: readonly PolicyVerdict[];
  /** No policy of the scope is active, and it is then open to administrators. */
  readonly isOpen: boolean;
}

const COLUMNS: readonly Column<ExplanationLine>[] = [
  { key: 'right', title: 'RIGHT', value: ({ name }) => name },
  {
    key: 'outcome',
    title: 'OUTCOME',
    value: ({ outcome }) => outcome,
    style: ({ outcome }) => (outcome === 'no' ? 'red' : 'green'),
  },
  { key: 'realms', title: 'REALMS', value: ({ realms }) => realms, text: ({ realms }) => realms.join(', ') },
  { key: 'policies', title: 'WHY', value: ({ policies }) => policies.map(verdictObject), text: reasonOf },
];

/** Adds `tankeeper policy explain`. */
function addPolicyExplain(policy: Command, context: CommandContext): void {
  addCommand(policy, 'explain', 'what somebody may do, and why; or why a request was refused', [
    'policy explain admin --realm office --client 10.0.0.5',
    'policy explain oidc:anna --groups helpdesk --only allowed',
    'policy explain --user bert --realm office',
    '--json policy explain admin --time 2026-11-20T03:00:00Z',
  ])
    .argument('[administrator]', 'an administrator, or oidc:NAME')
    .option('--realm <realm>', 'in this realm')
    .option('--client <address>', 'from this address; left out: from none')
    .option(
      '--time <time>',
      'a date, a time, or a duration back from now',
      pastInstantOption(context.dependencies.clock),
    )
    .option('--groups <list>', 'the groups of oidc:NAME', splitList)
    .option(
      '--user <login>',
      'in place of an administrator: the owner of a token, for the scope authentication',
    )
    .option('--resolver <name>', 'the resolver of the owner')
    .option('--request <id>', 'the id of a request that was refused')
    .addOption(
      new Option('--only <outcome>', 'only what is allowed, or refused').choices(['allowed', 'refused']),
    )
    .action(async (administrator: string | undefined, options: ExplainOptions) => {
      const output = context.output;
      const { lines, remarks } = await context.withServices((services, caller) =>
        explain(services, caller, administrator, options),
      );
      remarks.forEach((remark) => {
        output.say(remark);
      });
      output.list(
        lines.filter((line) => isWanted(line, options.only)),
        COLUMNS,
        'nothing',
      );
    });
}

/** The lines of the table, and what precedes it. */
interface Explained {
  readonly lines: readonly ExplanationLine[];
  readonly remarks: readonly string[];
}

async function explain(
  { explanations }: Services,
  caller: Caller,
  administrator: string | undefined,
  { realm, client, time, groups, user, resolver, request }: ExplainOptions,
): Promise<Explained> {
  if ([administrator, user, request].filter((subject) => subject !== undefined).length !== 1) {
    throw new CliFailure('name an administrator, or give one of --user and --request', EXIT_CODES.usage);
  }
  const circumstances = { realm, client, at: time?.() };
  if (request !== undefined) {
    const found = await explanations.explainRefusal(caller, request, groups);
    return { lines: found.rights.map(rightLine), remarks: refusalRemarks(found) };
  }
  if (user !== undefined) {
    const { values } = await explanations.explainValues({ ...circumstances, user, resolver });
    return { lines: values.map(valueLine), remarks: [] };
  }
  const found = await explanations.explainRights({
    ...circumstances,
    administrator: administrator ?? '',
    groups,
  });
  const remarks = found.isKnown ? [] : [`there is no administrator ${found.administrator}`];
  return { lines: found.rights.map(rightLine), remarks };
}

function refusalRemarks({ refusal, changes = [] }: RefusalExplanation): readonly string[] {
  const { administrator, endpoint, at, client, isByApiToken } = refusal;
  const later = changes.map(
    ({ policy, kind, administrator: by, at: changed }) =>
      `${policy} was ${kind} by ${by} at ${changed.toISOString()}`,
  );
  return [
    `${endpoint} was refused to ${administrator} from ${client} at ${at.toISOString()}`,
    ...(isByApiToken ? ['the API token did not have the right, whatever the policies say'] : []),
    later.length === 0
      ? 'by the policies as they are now:'
      : `by the policies as they are now, which have changed since then: ${later.join('; ')}`,
  ];
}

function rightLine({ right, decision, allowed, policies }: ExplainedRight): ExplanationLine {
  const realms = decision.allowed ? decision.realms : [];
  return {
    name: `${right.scope}:${right.action}`,
    outcome: allowed ? 'yes' : 'no',
    realms: realms === 'all' ? ['*'] : realms,
    policies,
    isOpen: decision.allowed && decision.by !== 'policies',
  };
}

function valueLine({ action, values, policies }: ExplainedValue): ExplanationLine {
  return {
    name: `authentication:${action}`,
    outcome: values.length === 0 ? 'no' : values.join(' '),
    realms: [],
    policies,
    isOpen: false,
  };
}

function isWanted({ outcome }: ExplanationLine, only: ExplainOptions['only']): boolean {
  return only === undefined || (outcome === 'no') === (only === 'refused');
}

function reasonOf({ policies, isOpen }: ExplanationLine): string {
  if (isOpen) {
    return 'no policy of the scope is active';
  }
  const applying = policies.filter(({ applies }) => applies).map(({ policy }) => policy);
  if (applying.length > 0) {
    return applying.join(', ');
  }
  const others = policies.map(
    ({ policy, obstacles }) => `${policy}: ${obstacles.map(({ text }) => text).join(', and ')}`,
  );
  return others.length === 0 ? 'no policy names it' : others.join('; ');
}

function verdictObject({ policy, applies, obstacles }: PolicyVerdict): JsonValue {
  return { policy, applies, obstacles: obstacles.map(({ kind, text }) => ({ kind, text })) };
}
