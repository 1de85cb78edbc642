import type { Command } from 'commander';
import type { TokenReport } from '../../monitoring/reports.ts';
import type { CountDrift } from '../../monitoring/token-counts.ts';
import { CliFailure, EXIT_CODES } from '../cli-failure.ts';
import { type CommandContext, addCommand } from '../command-context.ts';
import { type Column, withProgress } from '../output.ts';

type RealmCounts = TokenReport['realms'][number];

/** Every realm and the tokens without a realm, by every status. */
const EVERYTHING = { realms: '*', status: 'assigned,unassigned,active,inactive' };
/** The row's name in /monitoring/tokens. */
const SUMMARY = 'Summary';

const STATUSES: readonly (readonly [status: string, key: string])[] = [
  ['total', 'total'],
  ['assigned', 'assigned'],
  ['unassigned', 'unassigned'],
  ['active', 'active'],
  ['inactive', 'inactive'],
  ['total users', 'totalusers'],
];

const COUNT_COLUMNS: readonly Column<RealmCounts>[] = [
  { key: 'realm', title: 'REALM', value: ({ realm }) => realm },
  ...STATUSES.map(([status, key]): Column<RealmCounts> => ({
    key,
    title: status.toUpperCase(),
    value: ({ counts }) => counts.find((one) => one.status === status)?.count ?? 0,
    align: 'right',
  })),
];

const DRIFT_COLUMNS: readonly Column<CountDrift>[] = [
  { key: 'counts', title: 'WHAT', value: ({ counts }) => counts },
  { key: 'resolver', title: 'RESOLVER', value: ({ resolver }) => resolver },
  { key: 'userid', title: 'USER ID', value: ({ userId }) => userId },
  { key: 'realms', title: 'REALMS', value: ({ realms }) => realms },
  { key: 'active', title: 'ACTIVE', value: ({ active }) => active },
  { key: 'assigned', title: 'ASSIGNED', value: ({ assigned }) => assigned },
  { key: 'kept', title: 'KEPT', value: ({ kept }) => kept, align: 'right' },
  { key: 'counted', title: 'COUNTED', value: ({ counted }) => counted, align: 'right' },
];

/** Adds `tankeeper count`. */
export function addCountCommand(program: Command, context: CommandContext): void {
  addCommand(
    program,
    'count',
    'show how many tokens and active users there are, or verify the counts that the database keeps',
    ['count', 'count --verify --repair'],
  )
    .option(
      '--verify',
      'count one by one instead and show each count that has drifted (exit code 1 if any has)',
    )
    .option('--repair', 'with --verify: set right what has drifted')
    .action(async ({ verify, repair }: { readonly verify?: true; readonly repair?: true }) => {
      if (repair === true && verify !== true) {
        throw new CliFailure('--repair goes with --verify only', EXIT_CODES.usage);
      }
      await (verify === true ? verifyCounts(context, repair === true) : showCounts(context));
    });
}

async function showCounts(context: CommandContext): Promise<void> {
  const { realms, summary } = await context.withServices(({ monitoring }, caller) =>
    monitoring.tokens(caller, EVERYTHING),
  );
  context.output.list([...realms, { realm: SUMMARY, counts: summary }], COUNT_COLUMNS, '');
}

async function verifyCounts(context: CommandContext, repair: boolean): Promise<void> {
  const { output } = context;
  const { total, drifts } = await context.withServices(({ counts }, caller) =>
    withProgress(context.dependencies.io, 'counting tokens', () =>
      repair ? counts.repair(caller) : counts.verify(caller),
    ),
  );
  output.list(drifts, DRIFT_COLUMNS, 'every count is right');
  if (total > drifts.length) {
    output.say(`… and ${total - drifts.length} more`);
  }
  const text = total === 1 ? '1 count has drifted' : `${total} counts have drifted`;
  if (total > 0 && !repair) {
    throw new CliFailure(`${text}: see --repair`);
  }
  if (total > 0) {
    output.say(`${text}; set right now`);
  }
}
