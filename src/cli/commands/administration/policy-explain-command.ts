import { type Command, Option } from 'commander';
import type { Caller } from '../../../policy/caller.ts';
import type { ExplainedRight, ExplainedValue, PolicyVerdict } from '../../../policy/explanation.ts';
import type { RefusalExplanation } from '../../../policy/explanation-service.ts';
import { CliFailure, EXIT_CODES } from '../../cli-failure.ts';
import type { Services } from '../../../services.ts';
import type { CommandContext } from '../../command-context.ts';
import { examples } from '../../examples.ts';
import { type OptionInstant, parseList, pastInstantOption } from '../../option-values.ts';
import type { Column, JsonValue } from '../../output.ts';

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
export function addPolicyExplain(policy: Command, context: CommandContext): void {
  policy
    .command('explain')
    .addHelpText(
      'after',
      examples(
        'policy explain admin --realm office --client 10.0.0.5',
        'policy explain oidc:anna --groups helpdesk --only allowed',
        'policy explain --user bert --realm office',
        '--json policy explain admin --time 2026-11-20T03:00:00Z',
      ),
    )
    .description('what somebody may do, and why; or why a request was refused')
    .argument('[administrator]', 'an administrator, or oidc:NAME')
    .option('--realm <realm>', 'in this realm')
    .option('--client <address>', 'from this address; left out: from none')
    .option(
      '--time <time>',
      'a date, a time, or a duration back from now',
      pastInstantOption(context.dependencies.clock),
    )
    .option('--groups <list>', 'the groups of oidc:NAME', parseList)
    .option(
      '--user <login>',
      'in place of an administrator: the owner of a token, for the scope authentication',
    )
    .option('--resolver <name>', 'the resolver of the owner')
    .option('--request <id>', 'the id of a request that was refused')
    .addOption(
      new Option('--only <outcome>', 'only what is allowed, or refused').choices(['allowed', 'refused']),
    )
    .action(async (administrator: string | undefined, options: ExplainOptions, command: Command) => {
      const output = context.output(command);
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
